import { defineExtension, z } from 'parley/extension'
import { createClosing } from './close-by-time.ts'
import { pollOperations } from './operations.ts'
import { openPolls } from './open-polls.ts'
import { createPollTool } from './poll-tool.ts'
import { pollPrompt } from './prompt.ts'
import { pollHooks, pollSession } from './session-type.ts'
import { pollSettings } from './settings.ts'
import { pollStore } from './store.ts'
import { defaultLimits, type PollDeps, type PollLimits } from './verbs.ts'
import { votesRoute } from './votes-route.ts'

declare module 'parley/extension' {
  interface ExtensionOptions {
    /** Limits of polls; omitted ones have their defaults. */
    polls?: Partial<PollLimits>
  }
}

/** Questions with choices that people and models vote on. */
export default defineExtension({
  name: 'polls',
  version: '1.0.0',
  store: pollStore,
  options: { polls: z.strictObject({ maxChoices: z.int().min(2).optional() }) },
  settings: pollSettings,
  toolNames: ['poll'],
  commands: [{ name: 'polls', load: () => import('./commands.ts'), operations: { polls: pollOperations } }],
  page: { title: { en: 'Polls', zh: '投票' }, module: new URL('page.js', import.meta.url) },
  create(core, { options }) {
    const { store, clock, ids } = core
    const deps: PollDeps = { clock, ids, limits: { ...defaultLimits, ...options.polls } }
    return {
      service: deps,
      operations: { polls: { operations: pollOperations, deps } },
      tools: [createPollTool(store, deps)],
      prompt: [pollPrompt(store)],
      sessionTypes: [pollSession],
      runKinds: { 'poll-closing': createClosing(core) },
      on: pollHooks,
      routes: () => votesRoute(store),
      metrics: [openPolls(store)],
    }
  },
})
