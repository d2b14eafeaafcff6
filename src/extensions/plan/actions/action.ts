import { z } from 'zod'
import { invalidRequest } from '../../../core/protocol/error.ts'
import type { actionKinds } from '../protocol/plan-run.ts'
import type { RunPreview } from '../protocol/run-preview.ts'
import type { StoreOperations } from '../../../core/store/store.ts'
import type { PlanCaller } from '../change-plan.ts'
import type { ChangedSince, PlanBase } from '../changed-since.ts'
import type { PlanDeps } from '../plan-service.ts'
import { oneLine } from '../outline.ts'
import type { PlanRunRequest } from '../start-run.ts'

/** Where an action is done. */
export interface Scene {
  tx: StoreOperations
  deps: PlanDeps
  caller: PlanCaller
  /** The plan it is about; undefined while the session has none. */
  planId?: string
  /** The version that whoever wants it had seen; without one, they take what there is. */
  base?: PlanBase
  now: number
  /** What a person was shown of it and said yes to, where one was asked. */
  agreed?: RunPreview
  /** Makes the session about this plan, or about none. */
  bind(planId: string | null): Promise<void>
  /** Tells those who follow the scope, when everything else is done. */
  emit(type: `plan-${string}`, data: Record<string, unknown>): void
  /** Starts a run on the plan, for whoever waits for the action. */
  startRun(request: PlanRunRequest): Promise<string>
}

export interface ActionOutcome {
  /** In a sentence. */
  message: string
  result?: unknown
  /** The action is over when this run is. */
  runId?: string
  /** What of it was not done, because others changed the same. */
  conflict?: ChangedSince
}

interface ActionTypeBase<Parameters> {
  kind: (typeof actionKinds)[number]
  name: string
  /** What it does and with what, for the model. */
  description: string
  parameters: z.ZodType<Parameters>
  /** Whether a plan has to be there. */
  needsPlan: boolean
  /** `delete` and `run` are asked about, like whatever a tool does that says so. */
  effect: 'read' | 'write' | 'delete' | 'run'
  /** What comes of it is worth an answer of its own. */
  isReported?: boolean
}

/** Where one looks at what an action would do. */
export interface PreviewPlace {
  store: StoreOperations
  deps: PlanDeps
  scope: string
  planId: string
}

/** Done in one transaction with what is stored of it. */
export interface StoredActionType<Parameters = unknown> extends ActionTypeBase<Parameters> {
  perform(scene: Scene, parameters: Parameters): Promise<ActionOutcome>
  /** Of one that runs nodes: which, for whoever is asked about it. */
  preview?(place: PreviewPlace, parameters: Parameters): Promise<RunPreview>
}

/** Done by a tool, as the model of a session would call it. */
export interface ToolActionType<Parameters = unknown> extends ActionTypeBase<Parameters> {
  tool: string
  toInput(parameters: Parameters): Record<string, unknown>
}

export type ActionType = StoredActionType | ToolActionType

export const defineStored = <Parameters>(type: StoredActionType<Parameters>): ActionType =>
  type as StoredActionType
export const defineTool = <Parameters>(type: ToolActionType<Parameters>): ActionType => type as ToolActionType

export function requirePlanId({ planId }: Scene): string {
  if (planId === undefined)
    throw invalidRequest('The session is bound to no plan: create one, or bind one that is there.')
  return planId
}

// models write numbers as text now and then
export const taskIdSchema = z.union([
  z.int().min(1).max(1e9),
  z
    .string()
    .regex(/^#?\d{1,9}$/, 'must be the number of a task')
    .transform((text) => Number(text.replace('#', ''))),
])
export const parentIdSchema = z.union([taskIdSchema, z.literal(0), z.null()]).transform((id) => id ?? 0)
/** One line, whatever a model writes there. */
export const nameSchema = z.string().transform(oneLine).pipe(z.string().min(1).max(500))
export const planIdSchema = z.string().min(1).max(200)
/** Where a run stops that an action starts. */
export const limitFields = {
  max_tokens: z.int().positive().max(1e12).optional(),
  max_cost: z.number().positive().max(1e9).optional(),
}
export const yesSchema = z.union([
  z.boolean(),
  z
    .union([z.literal(1), z.literal(0), z.string()])
    .transform((value) => /^(1|true|yes|y)$/i.test(String(value))),
])
/** A number that may be written as text; what is none counts as left out. */
export const looseNumber = z
  .unknown()
  .transform((value) => (value === null || value === '' ? Number.NaN : Number(value)))
  .transform((value) => (Number.isFinite(value) ? Math.round(value) : undefined))
