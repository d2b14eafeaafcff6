import { createOpenTaskReader } from '../tasks/open-tasks.ts'
import { createTaskControl } from '../tasks/task-control.ts'
import type { BackgroundManager } from '../tasks/manager.ts'
import type { SlotWaits } from '../runs/slot-wait.ts'
import { readProgress } from '../sessions/progress.ts'
import { createRecallTool } from '../tools/recall.ts'
import { createSetResult } from '../tools/set-result.ts'
import { createSkillTool } from '../tools/skill.ts'
import { createTaskTools } from '../tools/tasks.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import type { Tool } from '../tools/tool.ts'
import type { Base } from './base.ts'

/** The tools that a Parley has whatever it is extended by. */
export const createCoreTools = (
  { store, context }: Base,
  { tasks, tools, waits }: { tasks: BackgroundManager; tools: ToolRegistry; waits: SlotWaits },
): Tool[] => [
  createRecallTool(store),
  createSkillTool(context.loadSkill),
  createSetResult(createOpenTaskReader(store, tools)),
  ...createTaskTools(createTaskControl(store, tasks, waits, readProgress)),
]

export const coreToolNames = ['recall', 'skill', 'set_result', 'spawn_task', 'task_status', 'message_task']
