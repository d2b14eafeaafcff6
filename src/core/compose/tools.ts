import { createOpenTaskReader } from '../tasks/open-tasks.ts'
import { createTaskControl } from '../tasks/task-control.ts'
import type { ChatLimits } from '../chat/deps.ts'
import type { DocumentLimits } from '../../extensions/documents/caller.ts'
import { createDocumentTool } from '../../extensions/documents/document-tool.ts'
import { createLockTool } from '../../extensions/documents/lock-tool.ts'
import { createSearchTool } from '../../extensions/documents/search-tool.ts'
import { createTodoTool } from '../../extensions/documents/todo-tool.ts'
import { queryKnowledge } from '../../extensions/knowledge/query.ts'
import { createPlanControl } from '../../extensions/plan/tool-control.ts'
import type { SlotWaits } from '../runs/slot-wait.ts'
import { createCronControl } from '../../extensions/schedule/cron-control.ts'
import { readProgress } from '../sessions/progress.ts'
import { createCronTool } from '../../extensions/schedule/cron-tool.ts'
import { createGraphRagTool } from '../../extensions/knowledge/graph-rag-tool.ts'
import { createMemoryTool } from '../../extensions/memory/memory-tool.ts'
import { createPlanTool } from '../../extensions/plan/plan-tool.ts'
import { createRecallTool } from '../tools/recall.ts'
import { createSetResult } from '../tools/set-result.ts'
import { createSkillTool } from '../tools/skill.ts'
import { createTaskTools } from '../tools/tasks.ts'
import { createTerminalTools } from '../../extensions/terminal/terminal-tool.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import { createWebTools } from '../../extensions/web/web-tools.ts'
import { createWorkflowTool } from '../../extensions/workflow/workflow-tool.ts'
import { createFileTool } from '../../extensions/files/file.ts'
import { createWorkflowControl } from '../../extensions/workflow/tool-control.ts'
import type { Base } from './base.ts'
import type { CheckedOptions } from './check-options.ts'
import type { composeMemory } from './memory.ts'
import type { composeWork } from './work.ts'

export interface ToolParts {
  base: Base
  memory: ReturnType<typeof composeMemory>
  work: ReturnType<typeof composeWork>
  /** Filled here, in this order. */
  tools: ToolRegistry
  waits: SlotWaits
  chatLimits: ChatLimits
  documentLimits: DocumentLimits
}

/** The built-in tools, each with what it is allowed to know of the rest, and those of the program. */
export function composeTools(parts: ToolParts, options: CheckedOptions) {
  const { base, memory, work, tools, waits, chatLimits, documentLimits } = parts
  const { store, context, ids, clock, sandbox } = base
  const terminals = createTerminalTools(options.terminal ?? {}, {
    ids,
    clock,
    sandbox,
    hasSession: async ({ scope, sessionId }) => (await store.getSession(scope, sessionId)) !== undefined,
    onSessionDeleted: (listener) =>
      store.subscribe(({ type }) => {
        if (type === 'session-deleted') listener()
      }),
  })
  tools.register(
    createRecallTool(store),
    ...(memory.settings.enabled ? [createMemoryTool(memory.control)] : []),
    createGraphRagTool({
      query: ({ scope }, question) => queryKnowledge(work.knowledge, { scope }, question),
    }),
    createSkillTool(context.loadSkill),
    createSetResult(createOpenTaskReader(store)),
    ...createTaskTools(createTaskControl(store, work.background, waits, readProgress)),
    createCronTool(createCronControl(work.schedule)),
    createWorkflowTool(createWorkflowControl(work.workflowServices)),
    createPlanTool(createPlanControl(work.plan)),
    ...createWebTools(options.web),
    ...terminals.tools,
    createFileTool({ maxOutput: chatLimits.maxToolOutput }),
    createDocumentTool(store, documentLimits),
    createTodoTool(store),
    createLockTool(store, documentLimits),
    createSearchTool(store),
    ...(options.tools ?? []),
  )
  return { close: () => terminals.close() }
}
