import { invalidRequest, quote } from '../protocol/error.ts'
import {
  parameterNames,
  type ModelParameters,
  type ParameterName,
  type ParameterSettings,
} from '../protocol/parameters.ts'
import type { ModelAdapter } from './adapter.ts'

/** All of them, for adapters that take what they are given. */
export const everyParameter: readonly ParameterName[] = parameterNames

/** Later layers go before earlier ones, one by one, and provider by provider; null takes away what was set below. */
export function mergeParameters(...layers: (ParameterSettings | undefined)[]): ModelParameters {
  const merged: ModelParameters = {}
  for (const layer of layers)
    for (const name of parameterNames) {
      const value = layer?.[name]
      if (value === null) delete merged[name]
      else if (value !== undefined)
        Object.assign(merged, {
          [name]: name === 'providerOptions' ? { ...merged.providerOptions, ...(value as object) } : value,
        })
    }
  return merged
}

/** Those that were asked for, in a stable order. */
export const setParameters = (parameters: ModelParameters): ParameterName[] =>
  parameterNames.filter((name) => parameters[name] !== undefined)

/** `openai` of `openai/gpt-6-astra`. */
const adapterNameOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf('/')))

/** The options that are meant for this adapter. */
export const optionsFor = (
  id: string,
  { providerOptions }: ModelParameters,
): Record<string, unknown> | undefined => providerOptions?.[adapterNameOf(id)]

/** Refuses, by name, what a model cannot be asked with. */
export function requireTaken(
  { id, takes = [] }: Pick<ModelAdapter, 'id' | 'takes'>,
  parameters: ModelParameters,
): void {
  const untaken = setParameters(parameters).filter(
    (name) =>
      !takes.includes(name) && (name !== 'providerOptions' || optionsFor(id, parameters) !== undefined),
  )
  if (untaken.length === 0) return
  const taken = takes.length === 0 ? 'It takes none.' : `It takes ${takes.join(', ')}.`
  throw invalidRequest(`The model ${quote(id)} does not take ${untaken.join(', ')}. ${taken}`, {
    model: id,
    parameters: untaken,
    takes,
  })
}

/** Refuses options for adapters that there are not: they would never be sent. */
export function requireKnownProviders(
  { providerOptions }: ParameterSettings,
  known: readonly string[],
): void {
  const unknown = Object.keys(providerOptions ?? {}).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw invalidRequest(
      `parameters.providerOptions: there is no adapter ${quote(unknown)}. Known: ${known.join(', ')}.`,
      { known },
    )
}
