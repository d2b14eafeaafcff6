/** Search and commands in one place; filled in by the next change. */
export function Palette() {
  return null
}
