export type EditedInput =
  | { input: Record<string, unknown> }
  | { problem: 'no-object' }
  | { problem: 'no-json'; reason: string }

/** What somebody typed as the arguments of a call. */
export function readEditedInput(text: string): EditedInput {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: 'no-json', reason: (error as Error).message }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'no-object' }
  return { input: value as Record<string, unknown> }
}
