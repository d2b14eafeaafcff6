import { defineExtension } from '../../core/extension.ts'
import { count, optionGroup } from '../../core/protocol/options.ts'
import { defaultDocumentLimits, type DocumentLimits } from './document-caller.ts'
import { createDocumentTool } from './document-tool.ts'
import { lockOperations } from './lock-operations.ts'
import { lockSource } from './lock-source.ts'
import { createLockTool } from './lock-tool.ts'
import { documentOperations } from './operations.ts'
import { createRestorers } from './undo-changes.ts'
import { createSearchTool } from './search-tool.ts'
import { todoOperations } from './todo-operations.ts'
import { createTodoTool } from './todo-tool.ts'
import { createScopeViewReader } from './scope-view.ts'
import { documentsStore } from './store/slice.ts'

interface DocumentOptions {
  /** The most bytes of one document; default 1 MB. */
  documents?: { maxBytes?: number }
  /** How long a lock holds without a sign of its session; default 300,000. */
  locks?: { ttlMs?: number }
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends DocumentOptions {}
}

/** Texts of a scope with their versions, todo lists, and what sessions hold of them. */
export const documents = defineExtension<DocumentLimits>({
  name: 'documents',
  store: documentsStore,
  createScopeViewReader,
  references: {
    doc: ['doc', 'document', 'note', '文档', '便签', '笔记'],
    todo: ['todo', '待办'],
  },
  toolNames: ['document', 'todo', 'lock', 'search'],
  options: {
    documents: optionGroup<{ maxBytes: number }>({ maxBytes: count }),
    locks: optionGroup<{ ttlMs: number }>({ ttlMs: count }),
  },
  create({ store }, { options }) {
    const limits: DocumentLimits = {
      maxBytes: options.documents?.maxBytes ?? defaultDocumentLimits.maxBytes,
      lockTtlMs: options.locks?.ttlMs ?? defaultDocumentLimits.lockTtlMs,
    }
    return {
      service: limits,
      operations: {
        documents: { operations: documentOperations, deps: limits },
        todos: { operations: todoOperations },
        locks: { operations: lockOperations },
      },
      tools: [
        createDocumentTool(store, limits),
        createTodoTool(store),
        createLockTool(store, limits),
        createSearchTool(store),
      ],
      prompt: [lockSource(store)],
      on: { restorers: createRestorers(store) },
    }
  },
})
