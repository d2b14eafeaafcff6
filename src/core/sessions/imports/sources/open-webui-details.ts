import { type Block, textBlock } from '../../formats/foreign/blocks.ts'

/*
 * Open WebUI writes thoughts and tool calls into the text of an answer, as `<details type="reasoning">` and
 * `<details type="tool_calls">` with their data in attributes.
 */

// not nested, and found without going back: an answer may be megabytes of "<details"
const opening = /<details type="(reasoning|tool_calls)"([^>]*)>/g
const closing = '</details>'

export function readDetails(text: string): Block[] {
  const blocks: Block[] = []
  let from = 0
  opening.lastIndex = 0
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const [head, type, attributes = ''] = found
    const start = found.index + head.length
    const end = text.indexOf(closing, start)
    if (end === -1) break
    addText(blocks, text.slice(from, found.index))
    const inside = text.slice(start, end)
    blocks.push(
      ...(type === 'reasoning' ? toThought(inside) : toCall(readAttributes(attributes), blocks.length)),
    )
    from = end + closing.length
    opening.lastIndex = from
  }
  addText(blocks, text.slice(from))
  return blocks
}

function addText(blocks: Block[], text: string): void {
  if (text.trim() !== '') blocks.push(textBlock(blocks.length === 0 ? text.trimEnd() : text.trim()))
}

/** Quoted like a mail, under a summary of how long it took. */
function toThought(inside: string): Block[] {
  const text = decode(inside.replace(/^\s*<summary>[^<]*<\/summary>/, ''))
    .split('\n')
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n')
    .trim()
  return text === '' ? [] : [{ kind: 'part', part: { type: 'reasoning', text } }]
}

function toCall(attributes: ReadonlyMap<string, string>, place: number): Block[] {
  const id = attributes.get('id') || `call-${place + 1}`
  const name = attributes.get('name') || 'unknown'
  const call: Block = { kind: 'call', id, name, input: parsed(attributes.get('arguments') ?? '{}') }
  const result = attributes.get('result')
  if (result === undefined) return [call]
  return [call, { kind: 'result', id, output: parsed(result), isError: false }]
}

function readAttributes(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decode(value)]),
  )
}

/** JSON that may hold JSON as text, as both arguments and results do. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' && /^\s*[[{]/.test(value) ? parsed(value) : value
  } catch {
    return text
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'", '#39': "'" }
const decode = (text: string) =>
  text.replaceAll(/&(amp|lt|gt|quot|#x27|#39);/g, (_, name: string) => entities[name]!)
