/** What memory adds to records of the core: to tasks, to inputs, and to the context of prompt fragments. */
import { z } from 'zod'
import { defineFacets } from '../../core/protocol/facets.ts'

const memoryPolicySchema = z
  .strictObject({
    skipPerRoundExtract: z
      .boolean()
      .optional()
      .meta({ description: 'Learns nothing of each turn; default true' }),
    skipNarrativeBatchExtract: z
      .boolean()
      .optional()
      .meta({ description: 'Learns nothing of stretches of the conversation; default true' }),
    skipDocumentExtract: z
      .boolean()
      .optional()
      .meta({ description: 'Looks at no documents that were changed; default false' }),
    skipConversationSummary: z.boolean().optional().meta({ description: 'Makes no title; default true' }),
  })
  .meta({ id: 'MemoryPolicy', description: 'What a background session leaves out when it is done' })

const defaultPolicy = {
  skipPerRoundExtract: true,
  skipNarrativeBatchExtract: true,
  skipDocumentExtract: false,
  skipConversationSummary: true,
}

const fields = {
  memoryPolicy: memoryPolicySchema.optional(),
  skipMemory: z.boolean().optional().meta({ description: 'It sees no memories' }),
}

export const memoryFacets = defineFacets({
  groups: { after: 'search', list: { memory: true } },
  tags: ['memories'],
  bgMeta: { after: 'announceTarget', fields },
  task: {
    fields,
    toMeta: ({ memoryPolicy }) => ({ memoryPolicy: { ...defaultPolicy, ...memoryPolicy } }),
    toInput({ memoryPolicy: { skipConversationSummary, ...policy } = {}, skipMemory }) {
      return { ...policy, skipSummary: skipConversationSummary, ...(skipMemory && { skipMemory }) }
    },
  },
})

interface TaskMemory {
  memoryPolicy?: z.infer<typeof memoryPolicySchema>
  skipMemory?: boolean
}

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    memory: true
  }
  interface PromptTags {
    memories: true
  }
  interface BgMetaFacets extends TaskMemory {}
  interface TaskFacets extends TaskMemory {}
  interface InputFacets {
    /** The turn gets no memories. */
    skipMemory?: boolean
    /** Nothing is learned from the turn itself, from the stretch of conversation that ends with it, from documents it changed. */
    skipPerRoundExtract?: boolean
    skipNarrativeBatchExtract?: boolean
    skipDocumentExtract?: boolean
  }
}

declare module '../../core/prompt/fragment.ts' {
  interface PromptFacets {
    memories?: SentMemory[]
  }
}

export interface SentMemory {
  id?: string
  text: string
  kind: string
}
