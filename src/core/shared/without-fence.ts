/** An answer without the fence that models like to put around JSON. Takes no longer than the text is long. */
export function withoutFence(text: string): string {
  const bare = text.trim().replace(/^```(?:json)?\s*/i, '')
  return bare.endsWith('```') ? bare.slice(0, -3).trimEnd() : bare
}
