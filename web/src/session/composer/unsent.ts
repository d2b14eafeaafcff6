import { create, type StoreApi, type UseBoundStore } from 'zustand'
import type { Attachment } from './attachments.ts'
import type { FileStore } from './file-store.ts'

interface Content {
  text: string
  attachments: readonly Attachment[]
}

/** What a person has typed for a session and not sent yet. */
export interface Unsent extends Content {
  thinking: boolean
  /** Is on its way; the server has not said yet that it has it. */
  sending?: Content
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>

export type UnsentStore = UseBoundStore<StoreApi<Record<string, Unsent>>> & {
  change(key: string, patch: Partial<Unsent>): void
  read(key: string): Unsent
  /** Its session is gone. */
  forget(key: string): void
}

export const nothing: Unsent = { text: '', attachments: [], thinking: false }

export const isEmpty = ({ text, attachments }: Content) => text.trim() === '' && attachments.length === 0

const prefix = 'parley-unsent:'

/** A reload brings back what was typed and attached, and what was on its way: twice is better than never. */
export function createUnsentStore(storage: Storage, files: FileStore): UnsentStore {
  const store = create<Record<string, Unsent>>(() => ({}))
  // looked up while something is drawn, when nobody may be told of a change
  const stored = new Map<string, Unsent>()
  const read = (key: string) => {
    const known = store.getState()[key] ?? stored.get(key)
    if (known) return known
    const found = readStored(storage, key)
    stored.set(key, found)
    // a browser that keeps no files has none to bring back
    void files.read(key).then(
      (kept) => kept.length > 0 && change(key, { attachments: [...kept, ...read(key).attachments] }),
      () => {},
    )
    return found
  }
  const change = (key: string, patch: Partial<Unsent>) => {
    const before = read(key)
    const next = { ...before, ...patch }
    store.setState({ [key]: next })
    writeStored(storage, key, next)
    const kept = filesOf(next)
    // kept until the page is closed where the browser does not take them
    if (namesOf(kept) !== namesOf(filesOf(before))) files.write(key, kept).catch(() => {})
  }
  const forget = (key: string) => {
    store.setState({ [key]: nothing })
    writeStored(storage, key, nothing)
    files.write(key, []).catch(() => {})
  }
  return Object.assign(store, { read, change, forget })
}

const filesOf = ({ sending, attachments }: Unsent) => [...(sending?.attachments ?? []), ...attachments]

const namesOf = (attachments: readonly Attachment[]) => attachments.map(({ id }) => id).join()

/** Puts back what could not be sent, before what was typed since. */
export const putBack = (now: Unsent, failed: Content): Content & Pick<Unsent, 'sending'> => ({
  text: [failed.text, now.text].filter((text) => text !== '').join('\n'),
  attachments: [...failed.attachments, ...now.attachments],
  sending: undefined,
})

function readStored(storage: Storage, key: string): Unsent {
  try {
    const stored: unknown = JSON.parse(storage.getItem(prefix + key) ?? '{}')
    const { text, sending, thinking } = stored as Partial<Record<keyof Unsent, unknown>>
    const texts = [sending, text].filter((value) => typeof value === 'string' && value !== '')
    return { ...nothing, text: texts.join('\n'), thinking: thinking === true }
  } catch {
    return nothing
  }
}

function writeStored(storage: Storage, key: string, { text, sending, thinking }: Unsent): void {
  try {
    if (text === '' && sending === undefined && !thinking) storage.removeItem(prefix + key)
    else storage.setItem(prefix + key, JSON.stringify({ text, sending: sending?.text, thinking }))
  } catch {
    // a browser that stores nothing, or is full: it is kept until the page is closed
  }
}
