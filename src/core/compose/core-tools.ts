import { createOpenTaskReader } from '../tasks/open-tasks.ts'
import { createTaskControl } from '../tasks/task-control.ts'
import type { BackgroundManager } from '../tasks/background-manager.ts'
import type { SlotWaits } from '../runs/wait-for-slot.ts'
import { readProgress } from '../sessions/task-progress.ts'
import { createRecallTool } from '../tools/recall-tool.ts'
import { createSetResult } from '../tools/set-result-tool.ts'
import { createSkillTool } from '../tools/skill-tool.ts'
import { createTaskTools } from '../tools/task-tools.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import type { Tool } from '../tools/tool.ts'
import { useToolName } from '../tools/call-through.ts'
import type { Base } from './infrastructure.ts'

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

export const coreToolNames = [
  'recall',
  'skill',
  'set_result',
  'spawn_task',
  'task_status',
  'message_task',
  useToolName,
]
