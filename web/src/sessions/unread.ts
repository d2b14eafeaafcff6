import { create } from 'zustand'

const storageKey = 'parley-unread'
// far more than anybody looks at; the oldest are forgotten
const most = 500

export interface Unread {
  id: string
  /** A task: it is in another list than what people begin. */
  isTask: boolean
}

/** Sessions in which something ended that nobody has looked at; the same in every tab of this browser. */
export const useUnread = create<{ sessions: readonly Unread[] }>(() => ({ sessions: readStored() }))

export function markUnread(session: Unread): void {
  const sessions = readStored()
  if (!sessions.some(({ id }) => id === session.id)) store([...sessions, session].slice(-most))
}

export function markRead(sessionId: string): void {
  const sessions = readStored()
  if (sessions.some(({ id }) => id === sessionId)) store(sessions.filter(({ id }) => id !== sessionId))
}

/** What other tabs mark; call the answer to stop. */
export function followUnread(): () => void {
  const listen = ({ key }: StorageEvent) => {
    if (key === storageKey || key === null) useUnread.setState({ sessions: readStored() })
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}

function store(sessions: readonly Unread[]): void {
  useUnread.setState({ sessions })
  try {
    localStorage.setItem(storageKey, JSON.stringify(sessions))
  } catch {
    // a browser that stores nothing keeps them until the page is closed
  }
}

function readStored(): readonly Unread[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isUnread) : []
  } catch {
    return []
  }
}

const isUnread = (value: unknown): value is Unread =>
  typeof value === 'object' && value !== null && typeof (value as Unread).id === 'string'
