import type { Fragment } from './fragment.ts'
import { activeLocks } from '../../extensions/documents/fragments/active-locks.ts'
import { availableSkills } from './fragments/available-skills.ts'
import { callerPreamble } from './fragments/caller-preamble.ts'
import { contextChanges } from './fragments/context-changes.ts'
import { currentDate } from './fragments/current-date.ts'
import { env } from './fragments/env.ts'
import { identity } from './fragments/identity.ts'
import { identityWorkflow } from '../../extensions/workflow/fragments/identity-workflow.ts'
import { identityPlan } from '../../extensions/plan/fragments/identity-plan.ts'
import { identityRoom } from '../../extensions/room/fragments/identity-room.ts'
import { instructions } from './fragments/instructions.ts'
import { matchingRules } from './fragments/matching-rules.ts'
import { leftWindow } from './fragments/left-window.ts'
import { memo } from './fragments/memo.ts'
import { memoryProfile } from '../../extensions/memory/fragments/memory-profile.ts'
import { planBinding } from '../../extensions/plan/fragments/plan-binding.ts'
import { planContext } from '../../extensions/plan/fragments/plan-context.ts'
import { planList } from '../../extensions/plan/fragments/plan-list.ts'
import { planOutline } from '../../extensions/plan/fragments/plan-outline.ts'
import { planReply } from '../../extensions/plan/fragments/plan-reply.ts'
import { planResults } from '../../extensions/plan/fragments/plan-results.ts'
import { promptInjection } from './fragments/prompt-injection.ts'
import { references } from './fragments/references.ts'
import { roomPeers } from '../../extensions/room/fragments/room-peers.ts'
import { roomRules } from '../../extensions/room/fragments/room-rules.ts'
import { roomState } from '../../extensions/room/fragments/room-state.ts'
import { roomTask } from '../../extensions/room/fragments/room-task.ts'
import { rules } from './fragments/rules.ts'
import { skills } from './fragments/skills.ts'
import { taskState } from './fragments/task-state.ts'
import { workflowContext } from '../../extensions/workflow/fragments/workflow-context.ts'
import { workflowEditContext } from '../../extensions/workflow/fragments/workflow-edit-context.ts'
import { workflowManagementContext } from '../../extensions/workflow/fragments/workflow-management-context.ts'
import { workspaceContext } from './fragments/workspace-context.ts'
import { resolveScenario, type Scenario, type ScenarioFacets } from './scenario.ts'

/** What stands between the static part and the window, in every scenario. */
export const windowHead: Fragment[] = [memo, leftWindow]

/** The ordered fragments of a scenario: a static part that caches, a dynamic tail that goes with each input. */
export interface Recipe {
  sessionStatic: Fragment[]
  perTurnDynamic: Fragment[]
  acceptCallerPreamble: boolean
}

const general = [identity, instructions, rules, env, availableSkills, skills]
const tail = [
  workspaceContext,
  activeLocks,
  memoryProfile,
  currentDate,
  contextChanges,
  matchingRules,
  references,
  promptInjection,
]

// next to the input, so that it is read after what it takes back
const taskTail = [...tail, taskState]

export const recipes: Record<Scenario, Recipe> = {
  interactive: { sessionStatic: general, acceptCallerPreamble: false, perTurnDynamic: tail },
  background_task: {
    sessionStatic: [...general, callerPreamble],
    acceptCallerPreamble: true,
    perTurnDynamic: taskTail,
  },
  background_workflow_step: {
    sessionStatic: [
      identity,
      instructions,
      rules,
      env,
      workflowContext,
      availableSkills,
      skills,
      callerPreamble,
    ],
    acceptCallerPreamble: true,
    perTurnDynamic: taskTail,
  },
  background_plan_node: {
    sessionStatic: [identity, instructions, rules, env, planContext, availableSkills, skills, callerPreamble],
    acceptCallerPreamble: true,
    perTurnDynamic: taskTail,
  },
  plan_chat: {
    sessionStatic: [identityPlan, rules, env, planBinding, planReply],
    acceptCallerPreamble: false,
    perTurnDynamic: [
      planOutline,
      planList,
      planResults,
      memoryProfile,
      currentDate,
      contextChanges,
      matchingRules,
      references,
      promptInjection,
    ],
  },
  room: {
    sessionStatic: [identityRoom, rules, env, roomPeers, roomRules, availableSkills, skills],
    acceptCallerPreamble: false,
    perTurnDynamic: [
      roomState,
      memoryProfile,
      currentDate,
      contextChanges,
      matchingRules,
      references,
      promptInjection,
      roomTask,
    ],
  },
  tool_workflow_management: {
    sessionStatic: [identityWorkflow, rules, env, workflowManagementContext, availableSkills, skills],
    acceptCallerPreamble: false,
    perTurnDynamic: [workflowEditContext, activeLocks, currentDate, contextChanges, references],
  },
}

/** Whether a fragment goes with the inputs of a session: what it is made of is not read for others. */
export const isTold = (session: ScenarioFacets, fragment: Fragment): boolean =>
  recipes[resolveScenario(session)].perTurnDynamic.includes(fragment)
