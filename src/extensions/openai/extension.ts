import { defineExtension } from '../../core/extension.ts'
import { openAiRoutes } from './routes.ts'

/** Parley as one more OpenAI, at `/v1`. */
export const openai = defineExtension({
  name: 'openai',
  create: () => ({ service: undefined, routes: openAiRoutes }),
})
