// a database takes so many values in one statement
export const portion = 500

export function* inPortions<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += portion) yield items.slice(start, start + portion)
}
