import { isObject } from '../../../../core/shared/type-checks.ts'

/** What can be chosen, field by field; null in front: the field may be left out. */
export type Choices = Readonly<Record<string, readonly (string | null)[]>>

/** No player can be called so. */
export const nobody = 'nobody'
export const abstain = 'abstain'
export const reservedNames = [nobody, abstain]

const allowed = (values: readonly (string | null)[]) => values.filter((value) => value !== null)

/** JSON Schema of an answer; `hasWords` adds the player's comment. */
export function schemaOf(choices: Choices, hasWords: boolean): Record<string, unknown> {
  const fields = Object.entries(choices).map(([field, values]) => [
    field,
    { type: 'string', enum: allowed(values) },
  ])
  return {
    type: 'object',
    properties: { ...Object.fromEntries(fields), ...(hasWords && { say: { type: 'string' } }) },
    required: Object.keys(choices).filter((field) => !choices[field]!.includes(null)),
    additionalProperties: false,
  }
}

/** What was chosen, however it was spelled; undefined when it is not among what can be chosen. */
export function readChoice(choices: Choices, data: unknown): Record<string, string> | undefined {
  if (!isObject(data)) return undefined
  const chosen: Record<string, string> = {}
  for (const [field, values] of Object.entries(choices)) {
    const given = Object.hasOwn(data, field) ? data[field] : undefined
    if (given === undefined && values.includes(null)) continue
    const value = allowed(values).find((each) => isSame(each, given))
    if (value === undefined) return undefined
    chosen[field] = value
  }
  return chosen
}

export const describeChoices = (choices: Choices) =>
  Object.entries(choices)
    .map(([field, values]) => `${field}: one of ${allowed(values).join(', ')}`)
    .join('; ')

const isSame = (value: string, given: unknown) =>
  typeof given === 'string' && given.trim().replace(/^@/, '').toLowerCase() === value.toLowerCase()
