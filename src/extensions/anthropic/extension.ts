import { defineExtension } from '../../core/extension.ts'
import { openai } from '../openai/extension.ts'
import { anthropicRoutes } from './routes.ts'

/** Parley as one more Anthropic, at `/v1/messages`. */
export const anthropic = defineExtension({
  name: 'anthropic',
  // whose clients keep the conversation themselves, too
  needs: [openai],
  create: () => ({ service: undefined, routes: anthropicRoutes }),
})
