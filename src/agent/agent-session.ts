import { conflict, invalidRequest, quote } from '../core/protocol/error.ts'
import type { Message, NewMessage } from '../core/protocol/message.ts'
import type { RecordSettings } from '../core/protocol/record.ts'
import type { ExportFormat, Session, SessionDocument } from '../core/protocol/session.ts'
import type { Memo, Resize, WindowSettings, WindowView } from '../core/protocol/window.ts'
import type { Caller } from '../core/sessions/caller.ts'
import { checkHandlers, mergeHandlers, type WindowHandlers } from '../core/sessions/window/window-handlers.ts'
import type { Decision } from '../core/sessions/window/resize-policy.ts'
import { checkSettings, overlaySettings } from '../core/sessions/window/window-settings.ts'
import type { Windows } from '../core/sessions/window/windows.ts'
import type { Store, StoreOperations } from '../core/store/store.ts'
import { checkMessages, checkRecordSettings } from './check-messages.ts'

const messagesPerRead = 1_000

export interface SessionLimits {
  chars?: number
  messages?: number
  tokens?: number
  everyNTurns?: number
}

/**
 * A session that a program controls. Settings take effect with the next call; the record is created when it is first
 * needed. The log only grows: `set` and `reset` change what the model sees, and an export still has all of it.
 */
export class AgentSession {
  readonly #open: () => Promise<{ store: Store; windows: Windows }>
  readonly #caller: Caller
  /** The program named it so; a session without one has the id that it is stored with. */
  readonly #requestedId: string | undefined
  #id: string | undefined
  #record: RecordSettings = {}
  /** Set here and not stored yet. */
  #unstored: { window: WindowSettings; record?: RecordSettings } = { window: {} }
  #settings: WindowSettings = {}
  #handlers: WindowHandlers = {}
  #tail: Promise<unknown> = Promise.resolve()

  constructor(open: () => Promise<{ store: Store; windows: Windows }>, scope: string, id?: string) {
    this.#open = open
    this.#caller = { scope, actor: { type: 'agent', id: 'library' }, seesAllScopes: true }
    this.#requestedId = id
    this.#id = id
  }

  /** Undefined until the record is created. */
  get id(): string | undefined {
    return this.#id
  }

  /** What was set on this session itself. */
  get settings(): WindowSettings {
    return structuredClone(this.#settings)
  }

  get record(): RecordSettings {
    return structuredClone(this.#record)
  }

  /** Which parts of inputs and answers enter the log. */
  setRecord(settings: RecordSettings): this {
    this.#record = checkRecordSettings(settings)
    this.#unstored = { ...this.#unstored, record: this.#record }
    return this
  }

  /** The parts of the window that this session replaces itself; they go before those of its agent. */
  get handlers(): WindowHandlers {
    return this.#handlers
  }

  /** Adds handlers; `undefined` removes one. They are functions, so they are neither stored nor exported. */
  setHandlers(handlers: WindowHandlers): this {
    this.#handlers = mergeHandlers(this.#handlers, checkHandlers(handlers))
    return this
  }

  /** Adds to what is set; a key that is set already gets the new value. */
  setSettings(settings: WindowSettings): this {
    const checked = checkSettings(settings)
    this.#unstored = { ...this.#unstored, window: overlaySettings(this.#unstored.window, checked) }
    this.#settings = overlaySettings(this.#settings, checked)
    return this
  }

  configure({ mode, ...limits }: SessionLimits & { mode?: 'lite' | 'memo' }): this {
    return this.setSettings({ ...(mode !== undefined && { mode }), ...toSettings(limits) })
  }

  setLimit(limits: SessionLimits): this {
    return this.setSettings(toSettings(limits))
  }

  useLite(limits: SessionLimits = {}): this {
    return this.configure({ ...limits, mode: 'lite' })
  }

  useMemo(limits: SessionLimits = {}): this {
    return this.configure({ ...limits, mode: 'memo' })
  }

  /** What the model sees: a copy. */
  async messages(): Promise<Message[]> {
    return this.#work(async ({ windows, session }) =>
      (await windows.open(session, undefined, this.#handlers)).messages.map(
        ({ context: _, ...message }) => message,
      ),
    )
  }

  /** The whole log. */
  async log(): Promise<Message[]> {
    return this.#work(async ({ store, session }) => {
      const all: Message[] = []
      for (;;) {
        const after = all.at(-1)?.seq ?? 0
        const page = await store.listMessages(session.scope, session.id, { after, limit: messagesPerRead })
        all.push(...page)
        if (page.length < messagesPerRead) return all
      }
    })
  }

  async window(): Promise<WindowView> {
    return this.#work(({ windows, session }) => windows.view(session, undefined, this.#handlers))
  }

  async memo(): Promise<Memo> {
    return this.#work(async ({ store, session }) => (await store.getMemo(session.id))?.memo ?? {})
  }

  /** Appends, then resizes when that is due. */
  async add(messages: NewMessage | NewMessage[]): Promise<void> {
    const checked = checkMessages([messages].flat())
    if (checked.length === 0) return
    await this.#work(async ({ store, windows, session }) => {
      await store.appendMessages(session.scope, session.id, checked)
      await windows.open(session, undefined, this.#handlers)
    })
  }

  /** What is given is all the model sees from now on; nothing but it is in the memo either. */
  async set(messages: NewMessage[]): Promise<void> {
    const checked = checkMessages(messages)
    await this.#work(async ({ store, windows, session }) => {
      await store.transaction(async (tx) => {
        await clear(tx, session, false)
        if (checked.length > 0) await tx.appendMessages(session.scope, session.id, checked)
      })
      await windows.open(session, undefined, this.#handlers)
    })
  }

  async reset({ keepMemo = false }: { keepMemo?: boolean } = {}): Promise<void> {
    await this.#work(({ store, session }) => store.transaction((tx) => clear(tx, session, keepMemo)))
  }

  async judgeResize(force?: string | true): Promise<Decision | undefined> {
    return this.#work(({ windows, session }) => windows.judge(session, force, this.#handlers))
  }

  /** Now; `lite` or `deep` (default), or a type of your own handlers. */
  async resize(force?: string | true): Promise<Resize> {
    return this.#work(({ windows, session }) => windows.resize(session, force, this.#handlers))
  }

  /** The whole session as text, without what it inherits. */
  async toJSON(): Promise<string> {
    return this.#write('json')
  }

  async toYAML(): Promise<string> {
    return this.#write('yaml')
  }

  /**
   * Becomes the session of an exported text (JSON, YAML), under the id that the program gave it; one without takes that of the
   * text where it is free. A text that is no session changes nothing, and neither does one for a session with messages.
   */
  async load(text: string): Promise<void> {
    if (typeof text !== 'string') throw invalidRequest('A session is loaded from a text: JSON or YAML.')
    await this.#alone(async () => {
      const { readDocuments } = await import('../core/sessions/formats/read-documents.ts')
      const { store, windows } = await this.#open()
      const [document, ...others] = readDocuments(text, { rules: store.facets.documents })
      if (!document || others.length > 0)
        throw invalidRequest(`The text holds ${others.length + 1} sessions; one is expected.`)
      const { importSession } = await import('../core/sessions/import.ts')
      const id = this.#requestedId ?? (await freeId(store, document))
      const loaded = await store.transaction(async (tx) => {
        if (this.#requestedId !== undefined)
          await prepareGivenId(tx, this.#caller, this.#requestedId, document)
        return importSession(tx, windows, this.#caller, { ...document, session: { ...document.session, id } })
      })
      this.#id = loaded.id
      this.#settings = loaded.window ?? {}
      this.#record = loaded.record ?? {}
      this.#unstored = { window: {} }
    })
  }

  /** For the agent: the record with its settings stored, and where it lives. */
  async ready(): Promise<{ store: Store; windows: Windows; session: Session }> {
    return this.#work(async (opened) => opened)
  }

  #write(format: ExportFormat): Promise<string> {
    return this.#work(async ({ store, windows, session }) => {
      const { exportSession } = await import('../core/sessions/export.ts')
      const { requireFormat } = await import('../core/sessions/formats/format.ts')
      const document = await exportSession(store, windows, this.#caller, session.id)
      return requireFormat(format).write(document, store.facets.documents)
    })
  }

  #work<T>(work: (opened: { store: Store; windows: Windows; session: Session }) => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      const opened = await this.#open()
      return work({ ...opened, session: await this.#store(opened.store) })
    })
  }

  /** Serialises calls: two at once must not create two records, nor lose each other's settings. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work)
    this.#tail = result.catch(() => {})
    return result
  }

  async #store(store: Store): Promise<Session> {
    const { scope } = this.#caller
    const known = this.#id === undefined ? undefined : await store.getSession(scope, this.#id)
    const { window: settings, record } = this.#unstored
    const hasSettings = Object.keys(settings).length > 0
    const hasNews = hasSettings || record !== undefined
    if (known && !hasNews) {
      this.#settings = known.window ?? {}
      this.#record = known.record ?? {}
      return known
    }
    // what is set while this is being stored is for the next call
    this.#unstored = { window: {} }
    const news = {
      ...(hasSettings && { window: overlaySettings(known?.window ?? {}, settings) }),
      ...(record && { record }),
    }
    const session = known
      ? await store.updateSession(scope, known.id, news)
      : await store.createSession({ id: this.#id, scope, ...news })
    if (known && hasSettings) await store.stopResizes(session.id, null)
    this.#id = session.id
    this.#settings = overlaySettings(session.window ?? {}, this.#unstored.window)
    this.#record = this.#unstored.record ?? session.record ?? {}
    return session
  }
}

async function freeId(store: Store, { session: { id } }: SessionDocument): Promise<string | undefined> {
  return id !== undefined && (await store.isSessionIdTaken(id)) ? undefined : id
}

/** What is loaded keeps the id that its session was given: an empty one is filled, settings included; any other is refused. */
async function prepareGivenId(
  tx: StoreOperations,
  { scope }: Caller,
  id: string,
  { session: { window, record } }: SessionDocument,
): Promise<void> {
  if (await tx.getSession(scope, id))
    await tx.updateSession(scope, id, { window: window ?? null, record: record ?? null })
  else if (await tx.isSessionIdTaken(id))
    throw conflict(`The session id ${quote(id)} is taken in another scope.`, { id })
}

/** The model sees nothing of the log from here on. */
async function clear(tx: StoreOperations, session: Session, keepMemo: boolean): Promise<void> {
  const state = (await tx.getWindowState(session.id))!
  await tx.moveWindow(session.id, state, state.lastSeq + 1)
  await tx.stopResizes(session.id, null)
  const memo = await tx.getMemo(session.id)
  const isKept = keepMemo && memo !== undefined
  // what was cleared away is not to come back through a memo update
  await tx.addMemoVersion(session.id, memo?.version ?? 0, {
    memo: isKept ? memo.memo : {},
    pinned: isKept ? memo.pinned : [],
    throughSeq: state.lastSeq,
    author: 'user',
    sizeBefore: memo?.sizeAfter ?? 0,
    sizeAfter: isKept ? memo.sizeAfter : 0,
  })
}

function toSettings({ everyNTurns, ...limit }: SessionLimits): WindowSettings {
  return {
    ...(Object.keys(limit).length > 0 && { limit }),
    ...(everyNTurns !== undefined && { resize: { every_n_turns: everyNTurns } }),
  }
}
