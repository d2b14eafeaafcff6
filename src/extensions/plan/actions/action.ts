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

/** The context of an action. */
export interface Scene {
  tx: StoreOperations
  deps: PlanDeps
  caller: PlanCaller
  /** The plan it is about; undefined while the session has none. */
  planId?: string
  /** The version that the caller has seen; without one, the current version. */
  base?: PlanBase
  now: number
  /** What a person was shown and approved, where approval was required. */
  agreed?: RunPreview
  /** Binds the session to this plan, or to none. */
  bind(planId: string | null): Promise<void>
  /** Emits an event of the scope, after everything else. */
  emit(type: `plan-${string}`, data: Record<string, unknown>): void
  /** Starts a run on the plan. */
  startRun(request: PlanRunRequest): Promise<string>
}

export interface ActionOutcome {
  /** In a sentence. */
  message: string
  result?: unknown
  /** The action ends with this run. */
  runId?: string
  /** What was not done because others changed the same. */
  conflict?: ChangedSince
}

interface ActionTypeBase<Parameters> {
  kind: (typeof actionKinds)[number]
  name: string
  /** What it does and its parameters, for the model. */
  description: string
  parameters: z.ZodType<Parameters>
  /** Whether it requires a plan. */
  needsPlan: boolean
  /** `delete` and `run` require approval, as tool calls with these effects do. */
  effect: 'read' | 'write' | 'delete' | 'run'
  /** Its result gets an answer of its own. */
  isReported?: boolean
}

/** The context of a preview. */
export interface PreviewPlace {
  store: StoreOperations
  deps: PlanDeps
  scope: string
  planId: string
}

/** Performed in the transaction that stores its outcome. */
export interface StoredActionType<Parameters = unknown> extends ActionTypeBase<Parameters> {
  perform(scene: Scene, parameters: Parameters): Promise<ActionOutcome>
  /** Of one that runs nodes: which ones, for the approval. */
  preview?(place: PreviewPlace, parameters: Parameters): Promise<RunPreview>
}

/** Performed by a tool, as the model of a session would call it. */
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

// models sometimes write numbers as text
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
/** A number that may be written as text; anything else counts as missing. */
export const looseNumber = z
  .unknown()
  .transform((value) => (value === null || value === '' ? Number.NaN : Number(value)))
  .transform((value) => (Number.isFinite(value) ? Math.round(value) : undefined))
