import { StringDecoder } from 'node:string_decoder'
import { Transform } from 'node:stream'

const start = '\u001b[200~'
const end = '\u001b[201~'
// the rest of a mark follows at once; a lone Escape is a key
const markMs = 50

interface PasteFilter extends Transform {
  isTTY: true
  setRawMode(isRaw: boolean): void
}

/**
 * What a terminal sends, with what was pasted as `toKeys` writes it: read as keys, each of its line ends would send a message,
 * and its control characters would be commands.
 */
export function createPasteFilter(
  terminal: NodeJS.ReadStream,
  toKeys: (pasted: string) => string,
): PasteFilter {
  const decoder = new StringDecoder('utf8')
  /** The end of what came, which may be the beginning of a mark. */
  let rest = ''
  let pasted: string | undefined
  let timer: NodeJS.Timeout | undefined

  const filter = new Transform({
    encoding: 'utf8',
    transform(chunk: Buffer, _encoding, done) {
      clearTimeout(timer)
      read(rest + decoder.write(chunk))
      if (rest !== '' && pasted === undefined) timer = setTimeout(pushRest, markMs)
      done()
    },
    flush(done) {
      clearTimeout(timer)
      pushRest()
      done()
    },
  })

  function read(text: string): void {
    const isPasting = pasted !== undefined
    const mark = isPasting ? end : start
    const at = text.indexOf(mark)
    const until = at >= 0 ? at : text.length - lengthOfBegun(text, mark)
    const before = text.slice(0, until)
    rest = at >= 0 ? '' : text.slice(until)
    if (isPasting) pasted += before
    else if (before !== '') filter.push(before)
    if (at < 0) return
    if (isPasting) filter.push(toKeys(pasted!))
    pasted = isPasting ? undefined : ''
    read(text.slice(at + mark.length))
  }

  function pushRest(): void {
    if (rest !== '' && pasted === undefined) filter.push(rest)
    rest = ''
  }

  terminal.pipe(filter)
  return Object.assign(filter, {
    isTTY: true as const,
    setRawMode: (isRaw: boolean) => void terminal.setRawMode(isRaw),
  })
}

/** How many characters at the end of a text may be the beginning of the mark. */
function lengthOfBegun(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length
  return 0
}
