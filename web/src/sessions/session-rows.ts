import type { SearchPage, SessionListItem } from '../../../src/client/index.ts'
import type { SessionGroup } from '../shell/define-web.ts'

export type SearchHit = SearchPage['items'][number]

/** One line of the list. */
export type SessionRow =
  | { type: 'session'; key: string; session: SessionListItem }
  | { type: 'hit'; key: string; hit: SearchHit; hasTitle: boolean }
  | { type: 'heading'; key: string }
  /** Sessions that are parts of one thing, the newest first. */
  | { type: 'group'; key: string; name: string; sessions: SessionListItem[]; load: SessionGroup['load'] }

// of one session; whoever wants the others narrows the search
const mostHits = 3

/**
 * Each session with the messages that were found in it; then, when the list is complete, those found in sessions that
 * are not in it.
 */
export function toRows(
  sessions: readonly SessionListItem[],
  hits: readonly SearchHit[],
  isComplete: boolean,
): SessionRow[] {
  const bySession = new Map<string, SearchHit[]>()
  for (const hit of hits) bySession.set(hit.sessionId, [...(bySession.get(hit.sessionId) ?? []), hit])
  const rows = sessions.flatMap((session): SessionRow[] => {
    const found = bySession.get(session.id) ?? []
    bySession.delete(session.id)
    return [
      { type: 'session', key: session.id, session },
      ...found.slice(0, mostHits).map((hit) => toHitRow(hit, false)),
    ]
  })
  const others = [...bySession.values()].flatMap((found) =>
    found.slice(0, mostHits).map((hit, index) => toHitRow(hit, index === 0)),
  )
  return others.length === 0 || !isComplete
    ? rows
    : [...rows, { type: 'heading', key: 'elsewhere' }, ...others]
}

/** Parts of one thing, of which it may have hundreds, as one line, where the newest of them is. */
export function foldGroups(rows: readonly SessionRow[], groups: readonly SessionGroup[]): SessionRow[] {
  const folded = new Map<string, SessionListItem[]>()
  return rows.flatMap((row): SessionRow[] => {
    if (row.type !== 'session') return [row]
    for (const { of, load } of groups) {
      const group = of(row.session)
      if (!group) continue
      const known = folded.get(group.id)
      if (known) {
        known.push(row.session)
        return []
      }
      const sessions = [row.session]
      folded.set(group.id, sessions)
      return [{ type: 'group', key: group.id, name: group.name, sessions, load }]
    }
    return [row]
  })
}

const toHitRow = (hit: SearchHit, hasTitle: boolean): SessionRow => ({
  type: 'hit',
  key: `${hit.sessionId}/${hit.messageId}`,
  hit,
  hasTitle,
})

/** The text in pieces, those that are one of the words marked. */
export function markWords(text: string, words: string): { text: string; isMarked: boolean; at: number }[] {
  const wanted = words.split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return [{ text, isMarked: false, at: 0 }]
  const pattern = new RegExp(`(${wanted.map(escaped).join('|')})`, 'iu')
  let at = 0
  return text
    .split(pattern)
    .map((piece, index) => {
      at += piece.length
      return { text: piece, isMarked: index % 2 === 1, at: at - piece.length }
    })
    .filter((piece) => piece.text !== '')
}

const escaped = (word: string) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
