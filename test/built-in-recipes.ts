import { createSessionTypes } from '../src/core/chat/session-types.ts'
import type { Recipe } from '../src/core/prompt/recipe.ts'
import type { Session } from '../src/core/protocol/session.ts'
import { lockSource } from '../src/extensions/documents/lock-source.ts'
import { memorySource } from '../src/extensions/memory/turn-memory.ts'
import type { PlanDeps } from '../src/extensions/plan/plan-service.ts'
import { planChat, planNode, planRun } from '../src/extensions/plan/session-types.ts'
import { roomType, seatType } from '../src/extensions/room/session-types.ts'
import { workflowManagement, workflowRun, workflowStep } from '../src/extensions/workflow/session-types.ts'
import { pino } from 'pino'
import type { Store } from '../src/core/store/store.ts'

/** The types of session that come with Parley; what they would read from a store is not asked for here. */
export const types = createSessionTypes()
types.register(
  roomType,
  seatType,
  planChat({} as PlanDeps),
  planNode,
  planRun,
  workflowManagement,
  workflowStep,
  workflowRun,
)
types.place(...lockSource({} as Store).places!, ...memorySource({}, pino({ level: 'silent' })).places!)

export const scenarios = [
  'interactive',
  'background_task',
  'background_workflow_step',
  'background_plan_node',
  'tool_workflow_management',
  'plan_chat',
  'room',
] as const

export const resolveScenario = (session: object = {}) => types.of(session as Partial<Session>).name

const sessionOf: Record<(typeof scenarios)[number], Partial<Session>> = {
  interactive: {},
  background_task: { kind: 'background' },
  background_workflow_step: { kind: 'background', bgMeta: { source: 'workflow' } as Session['bgMeta'] },
  background_plan_node: { kind: 'background', bgMeta: { source: 'plan' } as Session['bgMeta'] },
  tool_workflow_management: { kind: 'tool', toolMeta: { source: 'workflow-management' } },
  plan_chat: { mode: 'plan' },
  room: { kind: 'tool', toolMeta: { source: 'room-seat' } },
}

export const recipes = Object.fromEntries(
  scenarios.map((scenario) => [scenario, types.recipeOf(sessionOf[scenario])]),
) as Record<(typeof scenarios)[number], Recipe>
