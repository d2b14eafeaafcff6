import type { QueryClient } from '@tanstack/react-query'

type Key = readonly unknown[]

// many things that happen at once are one reason to ask, and the first is not kept waiting
const pauseMs = 250

/** Asks again for what is named: at once, and then not more often than a page can show it. */
export function createInvalidator(
  queries: Pick<QueryClient, 'invalidateQueries'>,
): (keys: readonly Key[]) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let touched = new Map<string, Key>()
  const flush = () => {
    timer = undefined
    if (touched.size === 0) return
    const keys = [...touched.values()]
    touched = new Map()
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey })
    timer = setTimeout(flush, pauseMs)
  }
  return (keys) => {
    for (const key of keys) touched.set(JSON.stringify(key), key)
    if (timer === undefined) flush()
  }
}
