import { expect } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { calls, createScripted, type Script } from './chat-harness.ts'
import { toOptions, type OpenDatabase, type TestDatabase } from './harness.ts'

export const scope = 'default'
export const api = { triggerType: 'api' } as const
export const never = new Promise<never>(() => {})

/** Holds whoever waits until it is opened. */
export function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, open: resolve }
}

/** A Parley whose model does as it is told, on a database of its own or one that others work on. */
export async function openTasks(
  database: OpenDatabase | TestDatabase,
  script: Script,
  options: Partial<ParleyOptions> = {},
) {
  const own = typeof database === 'function' ? await database() : undefined
  const model = createScripted(script)
  const parley = await createParley({
    ...toOptions(own ?? (database as TestDatabase)),
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    shutdownMs: 0,
    ...options,
  })
  const statusOf = async (id: string) => (await parley.sessions.get(id)).bgStatus
  return {
    ...parley,
    model,
    statusOf,
    async until(id: string, status: string) {
      await expect.poll(() => statusOf(id)).toBe(status)
    },
    /** The statuses of the tasks that a session started, by their titles. */
    async below(id: string) {
      const { items } = await parley.sessions.list({ parent: id })
      return Object.fromEntries(items.map(({ title, bgStatus }) => [title, bgStatus]))
    },
    /** The ids of the tasks that a session started, by their titles. */
    async idsBelow(id: string): Promise<Record<string, string>> {
      const { items } = await parley.sessions.list({ parent: id })
      return Object.fromEntries(items.map((task) => [task.title, task.id]))
    },
    /** The types of what happened to a session, oldest first. */
    async eventsOf(id: string) {
      const events = await parley.store.listEvents(scope, { after: 0, limit: 1_000 })
      return events.filter(({ sessionId }) => sessionId === id).map(({ type }) => type)
    },
    async auditOf(id: string) {
      const { items } = await parley.store.listAudit(scope, { sessionId: id, limit: 100 })
      return items.map(({ action }) => action)
    },
    async [Symbol.asyncDispose]() {
      await parley.close()
      await own?.[Symbol.asyncDispose]()
    },
  }
}

/** A model that does by the first of these words that is in the first message it is shown. */
export const byPrompt =
  (actions: Record<string, Script>): Script =>
  (request, call) => {
    const [first] = request.messages
    const text = first!.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    const name = Object.keys(actions).find((known) => text.includes(known))!
    return actions[name]!(request, call)
  }

export const isAnswered = ({ messages }: ModelRequest): boolean =>
  messages.some(({ role }) => role === 'tool')
export const submit = () => calls(['set_result', { output: 'done' }])
