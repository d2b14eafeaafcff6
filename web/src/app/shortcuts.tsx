/** Listens for the keys of actions; filled in by the next change. */
export function Shortcuts() {
  return null
}
