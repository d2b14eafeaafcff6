export interface Reference {
  /** What it points to: one of those that the core or an extension has words for. */
  type: string
  id: string
  /** Only where the text names one. */
  scope?: string
  /** The reference as written, and where: `text.slice(start, end) === raw`. */
  raw: string
  start: number
  end: number
}

/** The words of what references can point to, by type. */
export type ReferenceWords = Readonly<Record<string, readonly string[]>>

const coreWords: ReferenceWords = {
  file: ['file', '文件'],
  run: ['run', '运行'],
  task: ['task', '任务'],
  session: ['session', '会话'],
}

export interface ReferenceParser {
  /**
   * Finds `@(type:id)`, `@(scope:type:id)` and `@type:id` in a text. What does not name a known type is no
   * reference: mail addresses and `@names` stay as they are. Time is linear in the length of the text. Of very many the first
   * 1,000 count.
   */
  parseReferences(text: string): Reference[]
  /**
   * Reads `type:id` or `scope:type:id`. With three parts or more, a type in the second place makes the first a
   * scope; otherwise the colons belong to the id.
   */
  parseReferenceUri(uri: string): Pick<Reference, 'type' | 'id' | 'scope'> | undefined
}

type TypeOf = (word: string) => string | undefined

/** For what the core has references to, and what extensions add. */
export function createReferenceParser(...added: readonly ReferenceWords[]): ReferenceParser {
  const types = new Map(
    [coreWords, ...added].flatMap((words) =>
      Object.entries(words).flatMap(([type, named]) => named.map((word) => [word, type] as const)),
    ),
  )
  const typeOf: TypeOf = (word) => types.get(word.toLowerCase())
  return {
    parseReferences: (text) => parseReferences(typeOf, text),
    parseReferenceUri: (uri) => parseReferenceUri(typeOf, uri),
  }
}

// longer than any path
const maxLength = 4_096
// more than anybody writes: each is looked up, while others wait
const maxReferences = 1_000

function parseReferences(typeOf: TypeOf, text: string): Reference[] {
  const references: Reference[] = []
  for (let start = text.indexOf('@'); start >= 0 && references.length < maxReferences;) {
    const found = isPartOfWord(text, start) ? undefined : readReference(typeOf, text, start)
    if (found) references.push(found)
    start = text.indexOf('@', found?.end ?? start + 1)
  }
  return references
}

function parseReferenceUri(
  typeOf: TypeOf,
  uri: string,
): Pick<Reference, 'type' | 'id' | 'scope'> | undefined {
  const [first, afterFirst] = splitAtColon(uri)
  const [second, afterSecond] = splitAtColon(afterFirst)
  const scopedType = typeOf(second)
  if (scopedType && first !== '' && afterSecond !== '')
    return { type: scopedType, id: afterSecond, scope: first }
  const type = typeOf(first)
  return type && afterFirst !== '' ? { type, id: afterFirst } : undefined
}

function splitAtColon(text: string): [string, string] {
  const colon = text.search(/[:：]/)
  return colon < 0 ? [text.trim(), ''] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

/** As in a mail address, or in the path of a package. Chinese is written without spaces, so its words do not count. */
function isPartOfWord(text: string, at: number): boolean {
  return at > 0 && /[\w.%+/-]/.test(text[at - 1]!)
}

function readReference(typeOf: TypeOf, text: string, start: number): Reference | undefined {
  const bracket = text[start + 1]
  const isBracketed = bracket === '(' || bracket === '（'
  const end = isBracketed ? findClosing(text, start + 2) : findEnd(typeOf, text, start + 1)
  if (end === undefined) return undefined
  const raw = text.slice(start, end)
  const parsed = parseReferenceUri(typeOf, isBracketed ? raw.slice(2, -1) : raw.slice(1))
  return parsed && { ...parsed, raw, start, end }
}

/** After the bracket that closes the one before `from`. Stops at another `@(`, so that no text is walked twice. */
function findClosing(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < Math.min(text.length, from + maxLength); at++) {
    const character = text[at]!
    if (character === '\n' || (character === '@' && /[(（]/.test(text[at + 1] ?? ''))) return undefined
    if (character === '(' || character === '（') depth++
    if (character === ')' || character === '）') depth--
    if (depth === 0) return at + 1
  }
  return undefined
}

/** After the id of `type:id`, which ends at a space or at what may follow it in a sentence. */
function findEnd(typeOf: TypeOf, text: string, from: number): number | undefined {
  const word = /\p{L}{1,16}[:：]/uy
  word.lastIndex = from
  const [type] = word.exec(text) ?? []
  if (type === undefined || !typeOf(type.slice(0, -1))) return undefined
  const id = /[^\s()（），。；：！？、【】《》“”‘’「」,;"'`<>]{1,4096}/y
  id.lastIndex = from + type.length
  const [run = ''] = id.exec(text) ?? []
  let { length } = run
  while (length > 0 && '.:!?…'.includes(run[length - 1]!)) length--
  return length === 0 ? undefined : from + type.length + length
}
