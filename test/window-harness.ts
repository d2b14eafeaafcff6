import { pino } from 'pino'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import type { Message, Part } from '../src/core/protocol/message.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { Session } from '../src/core/protocol/session.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import type { WindowHandlers } from '../src/core/sessions/window/window-handlers.ts'
import { createWindows, type Windows } from '../src/core/sessions/window/windows.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { MessageToAppend } from '../src/core/store/queries/messages.ts'
import type { Store } from '../src/core/store/store.ts'
import { createScripted, says } from './chat-harness.ts'
import type { OpenDatabase, TestDatabase } from './harness.ts'

export const caller = {
  scope: 'default',
  actor: { type: 'user' as const, id: 'test' },
  seesAllScopes: true,
}

export interface TestWindows extends AsyncDisposable {
  store: Store
  windows: Windows
  id: string
  /** As it is stored now. */
  session(): Promise<Session>
  append(...messages: MessageToAppend[]): Promise<Message[]>
  /** So many turns, each input and answer with so many characters as the limits count them. */
  talk(turns: number, length?: number): Promise<void>
  log(): Promise<Message[]>
}

/** The windows alone, without turns: the engine as a library would use it. */
export async function openWindows(
  openDatabase: OpenDatabase,
  options: {
    /** Of the configuration. */
    settings?: WindowSettings
    /** Of the session. */
    window?: WindowSettings
    handlers?: WindowHandlers
    model?: ModelAdapter
  } = {},
): Promise<TestWindows> {
  const database = await openDatabase()
  const store = await database.open(systemClock)
  await store.ensureScope('default')
  const { id } = await store.createSession({ scope: 'default', window: options.window })
  const model = options.model ?? createScripted(() => says('{}'))
  const windows = createWindows({
    store,
    logger: pino({ level: 'silent' }),
    requireModel: () => model,
    settings: options.settings,
    handlers: options.handlers,
  })
  const append = (...messages: MessageToAppend[]) => store.appendMessages('default', id, messages)
  let said = 0
  return {
    store,
    windows,
    id,
    session: () => store.requireSession('default', id),
    append,
    async talk(turns, length = 100) {
      for (let turn = 0; turn < turns; turn++) {
        said++
        await append(
          user(`question ${said} `.padEnd(length - 'user'.length - 1, '.')),
          assistant(`answer ${said} `.padEnd(length - 'assistant'.length - 1, '.')),
        )
      }
    },
    log: () => store.listMessages('default', id, { after: 0, limit: 100_000 }),
    async [Symbol.asyncDispose]() {
      await windows.stop(1_000)
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

export const user = (text: string): MessageToAppend => ({ role: 'user', parts: [{ type: 'text', text }] })
export const assistant = (text: string, ...more: Part[]): MessageToAppend => ({
  role: 'assistant',
  parts: [{ type: 'text', text }, ...more],
})

export const toolCall = (id: string, output: unknown): Part => ({
  type: 'dynamic-tool',
  toolName: 'look',
  toolCallId: id,
  state: 'output-available',
  input: { at: id },
  output,
})

export const file = (filename: string, url = 'data:image/png;base64,AAAA'): Part => ({
  type: 'file',
  mediaType: 'image/png',
  filename,
  url,
})

export const textsOf = (messages: readonly Pick<Message, 'parts'>[]) =>
  messages.map((message) => messageText(message).replace(/ \.*$/, ''))

export const seqsOf = (messages: readonly Message[]) => messages.map(({ seq }) => seq)

/** Of the prompts that a model was sent, those of turns; the others ask for a memo. */
export const isMemoRequest = ({ cacheKey }: { cacheKey: string }) => cacheKey.endsWith(':memo')

/** A database that outlives those who open and close it. */
export async function sharedDatabase(
  openDatabase: OpenDatabase,
): Promise<{ open: OpenDatabase } & AsyncDisposable> {
  const database: TestDatabase = await openDatabase()
  return {
    open: async () => ({ ...database, [Symbol.asyncDispose]: async () => {} }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
