import type { z } from 'zod'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { ownFieldNames, type OwnText, type StepText } from './definition.ts'
import { workflowStepTypes } from './protocol/workflow.ts'

/** A step type that an extension contributes. */
export interface WorkflowStepType<Fields extends z.ZodRawShape = z.ZodRawShape> {
  /** A word that no other type has. */
  readonly type: string
  /** What such a step does, for authors of definitions. */
  readonly description: string
  /** Its fields, in addition to those of every step. Texts may contain $names. */
  readonly fields: Fields
  /**
   * Executes the step, with every name resolved. Throwing fails the step. After a crash it may be called again with the same
   * `key`. It has the step's `timeoutMs`, or 60 seconds; longer work belongs into a session or a run of its own.
   */
  run(
    fields: z.infer<z.ZodObject<Fields>>,
    call: WorkflowStepCall,
  ): StepOutcome | void | Promise<StepOutcome | void>
}

export interface WorkflowStepCall {
  scope: string
  /** The session of the run. */
  sessionId: string
  runId: string
  /** The same for all calls of one attempt of one step. */
  key: string
  /** Its own `input`, or the output of the step before it. */
  input: unknown
  signal: AbortSignal
}

/** What later steps have as `$id.output` and `$id.data`. */
export interface StepOutcome {
  output?: string
  data?: unknown
}

/** For extensions that add step types while they are created. */
export interface WorkflowSteps {
  registerStep<Fields extends z.ZodRawShape>(type: WorkflowStepType<Fields>): void
}

/** Whether its type comes from an extension. */
export const isOwn = (step: StepText): step is OwnText & { id?: string } =>
  !(workflowStepTypes as readonly string[]).includes(step.type)

/** The fields that belong to the type of the step. */
export const fieldsOf = (step: OwnText): Record<string, unknown> =>
  Object.fromEntries(Object.entries(step).filter(([name]) => !ownFieldNames.includes(name)))

/** The step types that extensions have added to one Parley. */
export interface OwnSteps extends WorkflowSteps {
  readonly list: readonly WorkflowStepType[]
  require(type: string): WorkflowStepType
}

export function createOwnSteps(): OwnSteps {
  const list: WorkflowStepType[] = []
  return {
    list,
    registerStep(given) {
      const { type, fields } = given
      if (!/^[a-z][a-z\d_]{0,39}$/.test(type))
        throw invalidRequest(
          `A type of step is a word of lower-case letters, digits and "_", not ${quote(type)}.`,
        )
      if ([...workflowStepTypes, ...list.map((one) => one.type)].includes(type))
        throw invalidRequest(`There are two types of workflow steps named ${quote(type)}.`)
      const taken = Object.keys(fields).find((name) => ownFieldNames.includes(name))
      if (taken !== undefined)
        throw invalidRequest(
          `The type of step ${quote(type)} has the field ${quote(taken)}, which every step has.`,
        )
      list.push(given as unknown as WorkflowStepType)
    },
    require(type) {
      const found = list.find((one) => one.type === type)
      if (!found) throw invalidRequest(`There is no type of step ${quote(type)} here any more.`)
      return found
    },
  }
}
