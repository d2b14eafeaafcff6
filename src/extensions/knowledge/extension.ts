import { defineExtension } from '../../core/extension.ts'
import { memory } from '../memory/extension.ts'
import type { KnowledgeDeps } from './knowledge-service.ts'
import { createGraphRagTool } from './graph-rag-tool.ts'
import { knowledgeOperations } from './operations.ts'
import { queryKnowledge } from './query-knowledge.ts'
import { createKnowledgeReader } from './knowledge-reader.ts'
import { createEntityVectors } from './vectors.ts'
import { knowledgeStore } from './store/slice.ts'

/** A graph of what documents and imports say. */
export const knowledge = defineExtension<KnowledgeDeps>({
  name: 'knowledge',
  store: knowledgeStore,
  toolNames: ['graph_rag'],
  needs: [memory],
  create({ store, tasks, requireModel, logger }, { use }) {
    const { embedder } = use(memory)
    const service: KnowledgeDeps = {
      store,
      background: tasks,
      requireModel,
      vectors: embedder && createEntityVectors(store, embedder, logger),
      logger,
    }
    const reader = createKnowledgeReader(service)
    return {
      service,
      operations: { knowledge: { operations: knowledgeOperations, deps: service } },
      tools: [
        createGraphRagTool({
          query: ({ scope }, question) => queryKnowledge(service, { scope }, question),
        }),
      ],
      on: { taskSettled: (tx, session, result) => reader.settle(tx, session, result) },
      start: () => reader.start(),
      stop: () => reader.stop(),
    }
  },
})
