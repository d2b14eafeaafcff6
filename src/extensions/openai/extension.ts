import { defineExtension } from '../../core/extension.ts'
import { memory } from '../memory/extension.ts'
import { openAiFacets } from './facets.ts'
import { openAiRoutes } from './routes.ts'

/** Parley as one more OpenAI, at `/v1`. */
export const openai = defineExtension({
  name: 'openai',
  // what memories are found with is the embedding model of `/v1/embeddings` too
  needs: [memory],
  store: { name: 'openai', facets: openAiFacets },
  create: ({ registry }, { use, options }) => {
    const embedding = { registry, configured: use(memory).embedder?.id, fetch: options.models?.fetch }
    return { service: undefined, routes: (running) => openAiRoutes({ ...running, embedding }) }
  },
})
