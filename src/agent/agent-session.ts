import { invalidRequest } from '../protocol/error.ts'
import type { Message, NewMessage } from '../protocol/message.ts'
import { defaultScope } from '../protocol/names.ts'
import type { Session, SessionDocument } from '../protocol/session.ts'
import type { Memo, Resize, WindowSettings, WindowView } from '../protocol/window.ts'
import type { Caller } from '../sessions/caller.ts'
import { exportSession } from '../sessions/export.ts'
import { requireFormat } from '../sessions/formats/format.ts'
import { readDocuments } from '../sessions/formats/read-documents.ts'
import { importSession } from '../sessions/import.ts'
import type { Decision } from '../sessions/window/policy.ts'
import { checkSettings, overlaySettings } from '../sessions/window/settings.ts'
import type { Windows } from '../sessions/window/windows.ts'
import type { Store } from '../store/store.ts'
import { checkMessages, checkRecordSettings, type RecordSettings } from './record.ts'

const caller: Caller = {
  scope: defaultScope,
  actor: { type: 'agent', id: 'library' },
  seesAllScopes: true,
}
const messagesPerRead = 1_000

export interface SessionLimits {
  chars?: number
  messages?: number
  tokens?: number
  everyNTurns?: number
}

/**
 * A session in the hands of a program. Settings take effect with the next call; the record is made when it is first
 * needed. The log only grows: `set` and `reset` change what the model sees, and an export still has all of it.
 */
export class AgentSession {
  readonly #open: () => Promise<{ store: Store; windows: Windows }>
  #id: string | undefined
  #record: RecordSettings = {}
  /** Set here and not stored yet. */
  #unstored: WindowSettings = {}
  #settings: WindowSettings = {}
  #tail: Promise<unknown> = Promise.resolve()

  constructor(open: () => Promise<{ store: Store; windows: Windows }>, id?: string) {
    this.#open = open
    this.#id = id
  }

  /** Undefined until the record is made. */
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
    return this
  }

  /** Adds to what is set; a key that is set already gets the new value. */
  setSettings(settings: WindowSettings): this {
    const checked = checkSettings(settings)
    this.#unstored = overlaySettings(this.#unstored, checked)
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
      (await windows.open(session)).messages.map(({ context: _, ...message }) => message),
    )
  }

  /** All that was ever said. */
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
    return this.#work(({ windows, session }) => windows.view(session))
  }

  async memo(): Promise<Memo> {
    return this.#work(async ({ store, session }) => (await store.getMemo(session.id))?.memo ?? {})
  }

  /** Appends, then resizes when that is due. */
  async add(messages: NewMessage | NewMessage[]): Promise<void> {
    const given = checkMessages([messages].flat())
    if (given.length === 0) return
    await this.#work(async ({ store, windows, session }) => {
      await store.appendMessages(session.scope, session.id, given)
      await windows.open(session)
    })
  }

  /** What is given is all the model sees from now on; nothing but it is in the memo either. */
  async set(messages: NewMessage[]): Promise<void> {
    const given = checkMessages(messages)
    await this.#work(async ({ store, windows, session }) => {
      await store.transaction(async (tx) => {
        await clear(tx, session, false)
        if (given.length > 0) await tx.appendMessages(session.scope, session.id, given)
      })
      await windows.open(session)
    })
  }

  async reset({ keepMemo = false }: { keepMemo?: boolean } = {}): Promise<void> {
    await this.#work(({ store, session }) => store.transaction((tx) => clear(tx, session, keepMemo)))
  }

  async judgeResize(force?: string | true): Promise<Decision | undefined> {
    return this.#work(({ windows, session }) => windows.judge(session, force))
  }

  /** Now; `lite` or `deep` (default), or a type of your own handlers. */
  async resize(force?: string | true): Promise<Resize> {
    return this.#work(({ windows, session }) => windows.resize(session, force))
  }

  /** The whole session as text, without what it inherits. */
  async toJSON(): Promise<string> {
    return requireFormat('json').write(await this.#toDocument())
  }

  async toYAML(): Promise<string> {
    return requireFormat('yaml').write(await this.#toDocument())
  }

  /** Becomes the session of an exported text (JSON, YAML). A text that is not one changes nothing. */
  async load(text: string): Promise<void> {
    if (typeof text !== 'string') throw invalidRequest('A session is loaded from a text: JSON or YAML.')
    const [document, ...others] = readDocuments(text)
    if (!document || others.length > 0)
      throw invalidRequest(`The text holds ${others.length + 1} sessions; one is expected.`)
    await this.#alone(async () => {
      const { store } = await this.#open()
      const isTaken = document.session.id !== undefined && (await store.isSessionIdTaken(document.session.id))
      const record = isTaken ? { ...document.session, id: undefined } : document.session
      const { id, window } = await importSession(store, caller, { ...document, session: record })
      this.#id = id
      this.#settings = window ?? {}
      this.#unstored = {}
    })
  }

  /** For the agent: the record with its settings stored, and where it lives. */
  async ready(): Promise<{ store: Store; windows: Windows; session: Session }> {
    return this.#work(async (opened) => opened)
  }

  #toDocument(): Promise<SessionDocument> {
    return this.#work(({ store, session }) => exportSession(store, caller, session.id))
  }

  #work<T>(work: (opened: { store: Store; windows: Windows; session: Session }) => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      const opened = await this.#open()
      return work({ ...opened, session: await this.#store(opened.store) })
    })
  }

  /** One thing after another: two calls at once must not make two records, nor lose each other's settings. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work)
    this.#tail = result.catch(() => {})
    return result
  }

  async #store(store: Store): Promise<Session> {
    const known = this.#id === undefined ? undefined : await store.getSession(caller.scope, this.#id)
    const unstored = this.#unstored
    const hasNews = Object.keys(unstored).length > 0
    if (known && !hasNews) {
      this.#settings = known.window ?? {}
      return known
    }
    // what is set while this is being stored is for the next call
    this.#unstored = {}
    const window = overlaySettings(known?.window ?? {}, unstored)
    const session = known
      ? await store.updateSession(caller.scope, known.id, { window })
      : await store.createSession({ id: this.#id, scope: caller.scope, ...(hasNews && { window }) })
    if (known && hasNews) await store.stopResizes(session.id, null)
    this.#id = session.id
    this.#settings = overlaySettings(session.window ?? {}, this.#unstored)
    return session
  }
}

/** The model sees nothing of the log from here on. */
async function clear(
  tx: Parameters<Parameters<Store['transaction']>[0]>[0],
  session: Session,
  keepMemo: boolean,
): Promise<void> {
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
