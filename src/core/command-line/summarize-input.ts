import { exact, type Shown } from './printable.ts'

const maxLength = 200

/** The arguments of a call in one line, which says how much of them it leaves out. */
export function summarizeInput(input: unknown): Shown {
  const text = JSON.stringify(input) ?? ''
  if (text.length <= maxLength) return exact(text)
  const left = text.length - maxLength
  return [exact(text.slice(0, maxLength)), ` … ${left.toLocaleString('en')} more characters`]
}
