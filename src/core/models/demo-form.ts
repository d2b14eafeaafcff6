import type { Chance } from './demo-turn.ts'
import type { Schema } from './demo-result.ts'

/** What there is to fill a form with. */
interface Source {
  /** The text where a text is required. */
  words: string
  /** What was asked. */
  task: string
  chance: Chance
}

/**
 * An object of a JSON Schema. Of what may be chosen it has something by chance, so that games continue, and words where
 * words are required.
 */
export function fillForm(schema: Schema, source: Source): Record<string, unknown> {
  const { properties = {}, required = [], anyOf, oneOf } = schema
  const branches = anyOf ?? oneOf ?? []
  const branch = branches[source.chance(Math.max(branches.length, 1), 'branch')]
  // of optional fields, it has those with choices and those with text
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || properties[name]!.enum !== undefined || name === 'say',
  )
  const form = Object.fromEntries(
    names.map((name) => [name, fill({ ...properties[name], ...branch?.properties?.[name] }, name, source)]),
  )
  if (!('answer' in form)) return form
  return 'question' in form
    ? { ...form, ...toQuestion(form['kind'], source) }
    : { ...form, ...toAnswer(source) }
}

function fill(schema: Schema, name: string, source: Source): unknown {
  const { chance } = source
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[chance(schema.enum.length, name)]
  if (schema.properties) return fillForm(schema, source)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fill(choices[chance(choices.length, name)]!, name, source)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return {}
    case 'array':
      return fillList(schema, name, source)
    case 'boolean':
      return chance(2, name) === 1
    case 'number':
    case 'integer':
      return fillNumber(schema, name, chance)
    case 'null':
      return null
    default:
      return toWords(name, source.words).slice(0, schema.maxLength).toWellFormed()
  }
}

/** One, or one of each that can be named. */
function fillList(
  { items = {}, minItems = 0, maxItems = Infinity }: Schema,
  name: string,
  source: Source,
): unknown[] {
  if (name === 'commands') return ['npm test']
  const [field, named] = Object.entries(items.properties ?? {}).find(([, { enum: values }]) => values) ?? []
  const values = named?.enum ?? [undefined]
  const count = Math.min(Math.max(values.length, minItems), maxItems)
  return Array.from({ length: count }, (_, index) => {
    const chance: Chance = (of, about) => source.chance(of, `${about} ${index}`)
    const item = fill(items, name, { ...source, chance })
    return field === undefined ? item : { ...(item as object), [field]: values[index % values.length] }
  })
}

// few enough to be a choice: points, stars
const maxScale = 10

function fillNumber({ minimum = 0, maximum = Infinity }: Schema, name: string, chance: Chance): number {
  const range = maximum - minimum
  if (range <= maxScale) return minimum + chance(Math.floor(range) + 1, name)
  return Math.min(Math.max(1, minimum), maximum)
}

/** What has to be changed comes with how much it matters. */
const toWords = (name: string, words: string) => (name === 'must_fix' ? `P2: ${words}` : words)

/** A question that the demo can answer too. */
function toQuestion(kind: unknown, { words, chance }: Source) {
  const [one, other] = [2 + chance(18, 'one'), 2 + chance(18, 'other')]
  const sum = one + other
  const options = [sum - 1, sum, sum + 2, sum + 10].map(String)
  const first = chance(options.length, 'option')
  return {
    question: isChinese(words) ? `${one} + ${other} 等于多少？` : `What is ${one} + ${other}?`,
    answer: String(sum),
    ...(kind === 'choice' && { options: [...options.slice(first), ...options.slice(0, first)] }),
  }
}

/** Right two times out of three. */
function toAnswer({ task, chance }: Source) {
  const [, one, other] = [...task.matchAll(/(\d{1,6}) \+ (\d{1,6})/g)].at(-1) ?? []
  if (one === undefined) return {}
  return { answer: String(Number(one) + Number(other) + (chance(3, 'answer') === 0 ? 2 : 0)) }
}

const isChinese = (text: string) => /\p{Script=Han}/u.test(text)
