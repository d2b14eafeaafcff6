import { mergeParameters, requireKnownProviders, requireTaken } from '../models/parameters.ts'
import type { ModelAdapter } from '../models/adapter.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { ModelParameters } from '../protocol/parameters.ts'
import type { Windows } from '../sessions/window/windows.ts'
import type { TurnStart } from '../store/queries/turn-start.ts'
import type { StoreOperations } from '../store/store.ts'
import type { RunStep } from '../store/queries/run-steps.ts'
import type { StepRecord } from './step-record.ts'
import type { TurnInput } from './turn-input.ts'
import type { Turn } from './turn-state.ts'

type Asked = Pick<TurnInput, 'parameters' | 'thinking'>

/** What the models of a turn are asked with: what is set for its session, and above that what its input says. */
export function parametersOf(
  below: ModelParameters | undefined,
  { parameters, thinking }: Asked,
): ModelParameters {
  const merged = mergeParameters(below, parameters)
  // an input that only says whether to think goes before an effort that says otherwise
  const isAgainst = (merged.reasoningEffort === 'none') === thinking
  if (thinking !== undefined && isAgainst && parameters?.reasoningEffort === undefined)
    delete merged.reasoningEffort
  return merged
}

/** Whether reasoning is requested at all. */
export const wantsReasoning = (
  { reasoningEffort }: ModelParameters,
  thinking: boolean | undefined,
): boolean | undefined => (reasoningEffort === undefined ? thinking : reasoningEffort !== 'none')

export interface ParameterMeans {
  requireModel(id: string | undefined): ModelAdapter
  /** The names of the adapters that there are. */
  adapterNames?(): readonly string[]
  /** What sessions are set to; without it, an input is checked when its turn begins. */
  windows?: Pick<Windows, 'settingsOf'>
}

/** Refuses an input that contradicts itself, or has options for nobody. */
export function checkParameters({ parameters, thinking }: Asked, { adapterNames }: ParameterMeans): void {
  if (!parameters) return
  const { reasoningEffort: effort } = parameters
  if (thinking !== undefined && effort != null && (effort === 'none') === thinking)
    throw invalidRequest(`"thinking": ${thinking} contradicts "parameters.reasoningEffort": "${effort}".`)
  if (adapterNames) requireKnownProviders(parameters, adapterNames())
}

/**
 * What a turn that begins right now is to keep until its end, whoever continues it; undefined where nothing is set. Refuses
 * by name what its model does not take.
 */
export async function holdParameters(
  tx: StoreOperations,
  { requireModel, windows }: ParameterMeans,
  start: Pick<TurnStart, 'session' | 'settings'>,
  input: TurnInput,
): Promise<ModelParameters | undefined> {
  if (!windows) return undefined
  const { model, parameters: below } = await windows.settingsOf(tx, start)
  const parameters = parametersOf(below, input)
  if (Object.keys(parameters).length === 0) return undefined
  requireTaken(requireModel(input.model ?? model), parameters)
  return parameters
}

/** The same for any turn: what it was begun with, else what it begins with now, which is stored before a model is asked. */
export async function readParameters(
  store: StoreOperations,
  { run, lease }: Turn,
  below: ModelParameters | undefined,
  [first]: readonly RunStep[],
): Promise<ModelParameters> {
  const input = run.input as TurnInput
  if (first) return (first.prompt as StepRecord).parameters ?? {}
  if (input.heldParameters) return input.heldParameters
  const parameters = parametersOf(below, input)
  if (Object.keys(parameters).length > 0)
    await store.replaceRunInput(lease, { ...input, heldParameters: parameters })
  return parameters
}
