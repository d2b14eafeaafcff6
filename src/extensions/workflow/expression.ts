/**
 * The expression language of workflows: `$args.count > 3 and not $review.data.approved`. It looks up values and compares
 * them, and can do nothing else.
 */

/** A `$name`: the name, and the path into its value. */
export interface Reference {
  root: string
  path: string[]
}

export type Expression =
  | { type: 'value'; value: unknown }
  | ({ type: 'reference' } & Reference)
  | { type: 'not'; operand: Expression }
  | { type: 'and' | 'or'; left: Expression; right: Expression }
  | { type: 'compare'; operator: Operator; left: Expression; right: Expression }

const operators = ['==', '!=', '<=', '>=', '<', '>', 'contains'] as const
type Operator = (typeof operators)[number]

/** Why a text is no expression; `offset` is where in it. */
export class ExpressionError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

// longer ones belong into a transform of their own
export const maxExpression = 2_000
const maxDepth = 50

interface Token {
  kind: 'word' | 'symbol' | 'text' | 'number' | 'reference' | 'end'
  text: string
  offset: number
}

const tokens = new RegExp(
  [
    /(?<space>\s+)/,
    /(?<reference>\$[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*)/,
    /(?<number>-?\d+(?:\.\d+)?)/,
    /(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/,
    /(?<symbol>==|!=|<=|>=|&&|\|\||[<>!()])/,
    /(?<word>[A-Za-z]+)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
)

function tokenize(source: string): Token[] {
  if (source.length > maxExpression)
    throw new ExpressionError(`The expression is longer than ${maxExpression} characters.`, maxExpression)
  const found: Token[] = []
  for (let offset = 0; offset < source.length;) {
    tokens.lastIndex = offset
    const match = tokens.exec(source)
    if (!match)
      throw new ExpressionError(
        `${JSON.stringify(source[offset])} has no meaning here. Texts need quotes, names begin with $.`,
        offset,
      )
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    if (kind !== 'space') found.push({ kind: kind as Token['kind'], text: match[0], offset })
    offset += match[0].length
  }
  return [...found, { kind: 'end', text: '', offset: source.length }]
}

const literals: Record<string, unknown> = { true: true, false: false, null: null }

export function parseExpression(source: string): Expression {
  const list = tokenize(source)
  let place = 0
  const peek = () => list[place]!
  const isNext = (...texts: string[]) => peek().kind !== 'text' && texts.includes(peek().text)
  const take = () => list[place++]!

  function either(depth: number): Expression {
    let left = both(depth)
    while (isNext('or', '||')) {
      take()
      left = { type: 'or', left, right: both(depth) }
    }
    return left
  }

  function both(depth: number): Expression {
    let left = negation(depth)
    while (isNext('and', '&&')) {
      take()
      left = { type: 'and', left, right: negation(depth) }
    }
    return left
  }

  function negation(depth: number): Expression {
    if (depth > maxDepth) throw new ExpressionError('The expression is nested too deeply.', peek().offset)
    if (!isNext('not', '!')) return comparison(depth)
    take()
    return { type: 'not', operand: negation(depth + 1) }
  }

  function comparison(depth: number): Expression {
    const left = operand(depth)
    if (!isNext(...operators)) return left
    const operator = take().text as Operator
    return { type: 'compare', operator, left, right: operand(depth) }
  }

  function operand(depth: number): Expression {
    const token = take()
    if (token.kind === 'reference') return { type: 'reference', ...toReference(token.text) }
    if (token.kind === 'number') return { type: 'value', value: Number(token.text) }
    if (token.kind === 'text') return { type: 'value', value: unquote(token.text) }
    if (token.kind === 'word' && Object.hasOwn(literals, token.text))
      return { type: 'value', value: literals[token.text] }
    if (token.text === '(') {
      const inner = either(depth + 1)
      if (!isNext(')')) throw new ExpressionError('A parenthesis is not closed.', token.offset)
      take()
      return inner
    }
    const what = token.kind === 'end' ? 'Something is missing at the end.' : `${token.text} is no value.`
    throw new ExpressionError(
      `${what} Use a $name, a number, a quoted text, true, false or null.`,
      token.offset,
    )
  }

  const expression = either(0)
  const rest = peek()
  if (rest.kind !== 'end')
    throw new ExpressionError(`${rest.text} is one too many; join conditions by and, or.`, rest.offset)
  return expression
}

/** `$review.data.items[0]` in its parts. */
export function toReference(text: string): Reference {
  const [root = '', ...path] = text
    .slice(1)
    .split(/[.[]/)
    .map((part) => part.replace(/\]$/, ''))
  return { root, path }
}

const unquote = (text: string) => text.slice(1, -1).replace(/\\(.)/g, '$1')

export function referencesOf(expression: Expression): Reference[] {
  switch (expression.type) {
    case 'value':
      return []
    case 'reference':
      return [expression]
    case 'not':
      return referencesOf(expression.operand)
    default:
      return [...referencesOf(expression.left), ...referencesOf(expression.right)]
  }
}

/** Returns the value of a name, undefined where there is none. */
export type LookUp = (reference: Reference) => unknown

export function evaluate(expression: Expression, lookUp: LookUp): unknown {
  switch (expression.type) {
    case 'value':
      return expression.value
    case 'reference':
      return lookUp(expression) ?? null
    case 'not':
      return !isTrue(evaluate(expression.operand, lookUp))
    case 'and':
      return isTrue(evaluate(expression.left, lookUp)) && isTrue(evaluate(expression.right, lookUp))
    case 'or':
      return isTrue(evaluate(expression.left, lookUp)) || isTrue(evaluate(expression.right, lookUp))
    case 'compare':
      return compare(
        expression.operator,
        evaluate(expression.left, lookUp),
        evaluate(expression.right, lookUp),
      )
  }
}

/** Outputs of models are text: "false" and an empty text count as false. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return !['', 'false'].includes(value.trim().toLowerCase())
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

function compare(operator: Operator, left: unknown, right: unknown): boolean {
  switch (operator) {
    case '==':
      return isSame(left, right)
    case '!=':
      return !isSame(left, right)
    case 'contains':
      return Array.isArray(left)
        ? left.some((item) => isSame(item, right))
        : typeof left === 'string' && left.includes(toText(right))
    default: {
      const [a, b] = [toNumber(left), toNumber(right)]
      // values that are not numbers are neither greater nor less
      if (a === undefined || b === undefined) return false
      return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b
    }
  }
}

function isSame(left: unknown, right: unknown): boolean {
  if (typeof left === typeof right) return toText(left) === toText(right)
  const [a, b] = [toNumber(left), toNumber(right)]
  if (a !== undefined && b !== undefined) return a === b
  return left !== null && right !== null && toText(left) === toText(right)
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** As it is written into a prompt. */
export const toText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
