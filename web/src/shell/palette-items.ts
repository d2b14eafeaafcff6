import type { LucideIcon } from 'lucide-react'
import type { Name } from './texts.ts'

export interface PaletteItem {
  id: string
  label: string
  icon: LucideIcon
  /** Smaller, beside the label: keys, or where a message was found. */
  detail?: string
  /** Further words it is found by, as its name in the other language. */
  words?: string
  /** Found by the server, and shown whatever the words here are. */
  isFound?: true
  perform(): void
}

export interface PaletteGroup {
  value: string
  items: PaletteItem[]
}

/** For `words`: a thing is found by its name in any language. */
export const wordsOf = (name: Name) => Object.values(name).join(' ')

/** Whether all the words are in it, wherever. */
export function matchesWords({ label, words = '' }: PaletteItem, query: string): boolean {
  const text = `${label} ${words}`.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** What matches, in its groups; before anything is typed, what was chosen lately comes first and only there. */
export function toPalette(
  groups: readonly PaletteGroup[],
  { query, recent, recentLabel }: { query: string; recent: readonly string[]; recentLabel: string },
): PaletteGroup[] {
  const matching = groups.map(({ value, items }) => ({
    value,
    items: items.filter((item) => item.isFound || matchesWords(item, query)),
  }))
  if (query !== '') return matching.filter(({ items }) => items.length > 0)
  const all = matching.flatMap(({ items }) => items)
  const lately = recent.flatMap((id) => all.find((item) => item.id === id) ?? [])
  return [
    { value: recentLabel, items: lately },
    ...matching.map(({ value, items }) => ({
      value,
      items: items.filter((item) => !lately.includes(item)),
    })),
  ].filter(({ items }) => items.length > 0)
}

const storageKey = 'parley-recent'
const mostRecent = 5

export function readRecent(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function addRecent(id: string): void {
  try {
    const next = [id, ...readRecent().filter((known) => known !== id)].slice(0, mostRecent)
    localStorage.setItem(storageKey, JSON.stringify(next))
  } catch {
    // nothing is remembered, and nothing else depends on it
  }
}
