/** The list with one item a place further up or down; the same list when there is no such place. */
export function moved<Item>(items: readonly Item[], from: number, by: number): readonly Item[] {
  const to = from + by
  if (from < 0 || to < 0 || to >= items.length) return items
  const next = [...items]
  next.splice(to, 0, ...next.splice(from, 1))
  return next
}
