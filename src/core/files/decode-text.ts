/** The text of a file, with plain line ends and no byte order mark; `undefined` if it is not text. */
export function decodeText(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined
  // as a stream, because the last character may have been cut in two
  const text = new TextDecoder('utf-8').decode(content, { stream: true })
  let broken = 0
  for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', at + 1)) broken++
  return broken > text.length / 10 ? undefined : toPlainLines(text)
}

/** The same bytes in the prompt whether a file was checked out on Windows or not. */
export const toPlainLines = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
