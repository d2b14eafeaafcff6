import { z } from 'zod'
import { graphQuestion } from '../../knowledge/protocol/knowledge.ts'
import { defineTool, looseNumber, type ActionType } from './action.ts'

const kind = 'tool_operation'
const querySchema = z.string().trim().min(1, 'must not be empty').max(2_000)

const webSearch = defineTool({
  kind,
  name: 'web_search',
  description:
    'query, max_results? (1 to 20, default 5): searches the web, when the user wants it; never against their word. The owner may be asked first',
  parameters: z.strictObject({
    query: querySchema,
    provider: z.string().max(100).optional(),
    max_results: looseNumber.optional(),
  }),
  needsPlan: false,
  effect: 'read',
  isReported: true,
  tool: 'web_search',
  toInput: ({ query, max_results: wanted = 5 }) => ({ query, count: Math.min(20, Math.max(1, wanted)) }),
})

const graphRag = defineTool({
  kind,
  name: 'graph_rag',
  description:
    'query, top_k? (1 to 20, default 12), hops? (1 or 2), focus_entities? (up to 20 names), return_subgraph?: asks the knowledge graph of the workspace, when the user wants it; never against their word',
  parameters: z.strictObject(graphQuestion),
  needsPlan: false,
  effect: 'read',
  isReported: true,
  tool: 'graph_rag',
  toInput: (question) => question,
})

export const toolOperations: readonly ActionType[] = [webSearch, graphRag]
