import type { QueryClient } from '@tanstack/react-query'

type Key = readonly unknown[]

// many things that happen at once are one reason to ask, and the first is not kept waiting
const pauseMs = 250

/** Asks again for what is named: at once, and then not more often than a page can show it. */
export function createInvalidator(
  queries: Pick<QueryClient, 'invalidateQueries' | 'isFetching'>,
): (keys: readonly Key[]) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let touched = new Map<string, Key>()
  const flush = () => {
    timer = undefined
    if (touched.size === 0) return
    const keys = [...touched.values()]
    touched = new Map()
    for (const queryKey of keys) void invalidate(queries, queryKey)
    timer = setTimeout(flush, pauseMs)
  }
  return (keys) => {
    for (const key of keys) touched.set(JSON.stringify(key), key)
    if (timer === undefined) flush()
  }
}

/** A first answer that is still on its way may be older than the change, and is not asked for again by itself. */
async function invalidate(
  queries: Pick<QueryClient, 'invalidateQueries' | 'isFetching'>,
  queryKey: Key,
): Promise<void> {
  const isFirst = queries.isFetching({ queryKey, predicate: ({ state }) => state.data === undefined }) > 0
  await queries.invalidateQueries({ queryKey })
  if (isFirst) await queries.invalidateQueries({ queryKey })
}
