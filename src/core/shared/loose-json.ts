/** What was read from a place in a text, and where it ends; or what is wrong there. */
export type Loose = { value: unknown; end: number } | { problem: string; end: number }

// as deep as what comes over HTTP may be
const maxDepth = 64
const closing: Record<string, string> = { '"': '"', "'": "'", '“': '”' }
const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const words = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
])

/**
 * Reads the value that begins at a place, in linear time: JSON, and slips of it that mean one thing only. These are
 * comments, a comma too many at the end, other quotes, names without quotes, line ends in texts, and the words of
 * Python. What breaks off is not completed: half a number is another number.
 */
export function readLoose(text: string, start: number): Loose {
  const reader = new LooseReader(text, start)
  try {
    return { value: reader.readValue(0), end: reader.at }
  } catch (error) {
    if (!(error instanceof Slip)) throw error
    return { problem: error.message, end: reader.at }
  }
}

class Slip extends Error {}

class LooseReader {
  at: number
  readonly #text: string

  constructor(text: string, start: number) {
    this.#text = text
    this.at = start
  }

  readValue(depth: number): unknown {
    if (depth > maxDepth) throw new Slip(`it is nested in more than ${maxDepth} levels`)
    const first = this.#text[this.at]
    if (first === '{') return this.#readObject(depth)
    if (first === '[') return this.#readList(depth)
    if (first !== undefined && first in closing) return this.#readText()
    return this.#readPlain()
  }

  #readObject(depth: number): Record<string, unknown> {
    const fields: [string, unknown][] = []
    this.#readItems('}', () => {
      const name = this.#match(/[A-Za-z_$][\w$]*/y) ?? this.#readText()
      this.#skip()
      this.#expect(':')
      this.#skip()
      fields.push([name, this.readValue(depth + 1)])
    })
    return Object.fromEntries(fields)
  }

  #readList(depth: number): unknown[] {
    const items: unknown[] = []
    this.#readItems(']', () => void items.push(this.readValue(depth + 1)))
    return items
  }

  #readItems(end: string, readItem: () => void): void {
    this.at++
    for (this.#skip(); this.#text[this.at] !== end; this.#skip()) {
      readItem()
      this.#skip()
      if (this.#text[this.at] === end) break
      this.#expect(',', end)
    }
    this.at++
  }

  #readText(): string {
    const end = closing[this.#text[this.at] ?? '']
    if (end === undefined) throw this.#slip('a name in quotes')
    this.at++
    const pieces: string[] = []
    const plain = end === '"' ? /[^"\\]+/y : end === "'" ? /[^'\\]+/y : /[^”\\]+/y
    for (;;) {
      pieces.push(this.#match(plain) ?? '')
      if (this.#text[this.at] === end) break
      this.#expect('\\', end)
      pieces.push(this.#readEscape())
    }
    this.at++
    return pieces.join('')
  }

  #readEscape(): string {
    const code = this.#match(/u[\dA-Fa-f]{4}/y)
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const letter = this.#match(/["'“”\\/bfnrt]/y)
    if (letter === undefined) throw this.#slip('a known escape after "\\"')
    return escapes[letter] ?? letter
  }

  #readPlain(): unknown {
    const plain = this.#match(/[\w$.+-]+/y)
    if (plain === undefined) throw this.#slip('a value')
    if (words.has(plain)) return words.get(plain)
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain)) return Number(plain)
    this.at -= plain.length
    throw this.#slip('a value')
  }

  /** Space and comments. */
  #skip(): void {
    for (;;) {
      this.#match(/\s+/y)
      const mark = this.#text.slice(this.at, this.at + 2)
      if (mark !== '//' && mark !== '/*') return
      const end = this.#text.indexOf(mark === '//' ? '\n' : '*/', this.at + 2)
      this.at = end < 0 ? this.#text.length : end + (mark === '//' ? 1 : 2)
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.#text) ?? []
    this.at += found?.length ?? 0
    return found
  }

  #expect(character: string, or?: string): void {
    if (this.#text[this.at] !== character)
      throw this.#slip(
        [or, character]
          .filter((one) => one && one !== '\\')
          .map((one) => `"${one}"`)
          .join(' or '),
      )
    this.at++
  }

  #slip(expected: string): Slip {
    const found = this.#text.slice(this.at, this.at + 30).toWellFormed()
    return new Slip(
      found === ''
        ? `it breaks off where ${expected} should follow`
        : `expected ${expected} at ${JSON.stringify(found)}`,
    )
  }
}
