import { create, type StoreApi, type UseBoundStore } from 'zustand'
import type { Attachment } from './attachments.ts'

/** What a person has typed for a session and not sent yet. */
export interface Unsent {
  text: string
  /** Kept while the page is open: they are too large for what browsers store. */
  attachments: readonly Attachment[]
  thinking: boolean
  /** Is on its way; the server has not said yet that it has it. */
  sending?: string
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>

export type UnsentStore = UseBoundStore<StoreApi<Record<string, Unsent>>> & {
  change(key: string, patch: Partial<Unsent>): void
  read(key: string): Unsent
}

export const nothing: Unsent = { text: '', attachments: [], thinking: false }

export const isEmpty = ({ text, attachments }: Pick<Unsent, 'text' | 'attachments'>) =>
  text.trim() === '' && attachments.length === 0

const prefix = 'parley-unsent:'

/** A reload brings back what was typed, and what was on its way: twice is better than never. */
export function createUnsentStore(storage: Storage): UnsentStore {
  const store = create<Record<string, Unsent>>(() => ({}))
  // looked up while something is drawn, when nobody may be told of a change
  const stored = new Map<string, Unsent>()
  const read = (key: string) => {
    const known = store.getState()[key] ?? stored.get(key)
    if (known) return known
    const found = readStored(storage, key)
    stored.set(key, found)
    return found
  }
  const change = (key: string, patch: Partial<Unsent>) => {
    const next = { ...read(key), ...patch }
    store.setState({ [key]: next })
    writeStored(storage, key, next)
  }
  return Object.assign(store, { read, change })
}

/** Puts back what could not be sent, before what was typed since. */
export const putBack = (
  now: Unsent,
  failed: Pick<Unsent, 'text' | 'attachments'>,
): Pick<Unsent, 'text' | 'attachments' | 'sending'> => ({
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
    else storage.setItem(prefix + key, JSON.stringify({ text, sending, thinking }))
  } catch {
    // a browser that stores nothing, or is full: it is kept until the page is closed
  }
}
