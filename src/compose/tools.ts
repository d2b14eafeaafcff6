import { createOpenTaskReader } from '../background/open-tasks.ts'
import { createTaskControl } from '../background/task-control.ts'
import type { ChatLimits } from '../chat/deps.ts'
import type { DocumentLimits } from '../documents/caller.ts'
import { createDocumentTool } from '../documents/document-tool.ts'
import { createLockTool } from '../documents/lock-tool.ts'
import { createSearchTool } from '../documents/search-tool.ts'
import { createTodoTool } from '../documents/todo-tool.ts'
import { queryKnowledge } from '../knowledge/query.ts'
import { createPlanControl } from '../plan/tool-control.ts'
import type { SlotWaits } from '../runs/slot-wait.ts'
import { createCronControl } from '../schedule/cron-control.ts'
import { readProgress } from '../sessions/progress.ts'
import { createCronTool } from '../tools/cron.ts'
import { createGraphRagTool } from '../tools/graph-rag.ts'
import { createMemoryTool } from '../tools/memory.ts'
import { createPlanTool } from '../tools/plan.ts'
import { createRecallTool } from '../tools/recall.ts'
import { createSetResult } from '../tools/set-result.ts'
import { createSkillTool } from '../tools/skill.ts'
import { createTaskTools } from '../tools/tasks.ts'
import { createTerminalTools } from '../tools/terminal/terminal-tool.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import { createWebTools } from '../tools/web/web-tools.ts'
import { createWorkflowTool } from '../tools/workflow.ts'
import { createFileTool } from '../tools/workspace/file.ts'
import { createWorkflowControl } from '../workflow/tool-control.ts'
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
