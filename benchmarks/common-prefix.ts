/** How much of a prompt a provider that cached the one before would not read again, in characters. */
export function commonPrefix(before: string, now: string): number {
  let length = 0
  while (length < before.length && length < now.length && before[length] === now[length]) length++
  return length
}
