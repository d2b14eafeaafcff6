import type { Command } from 'commander'
import { printProgress } from './output.ts'
import { invalidRequest, quote } from '../protocol/error.ts'

/** For `--limit` and the like. */
export function toCount(flag: string, text = '50'): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw invalidRequest(`${flag} is ${quote(text)}; it must be a whole number from 1.`)
  return count
}

export function toNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw invalidRequest(`${flag} is ${quote(text)}; it must be a whole number.`)
  return Number(text)
}

export function parseObject(flag: string, text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // falls through: what is not JSON is as wrong as what is no object
  }
  throw invalidRequest(`${flag} must be a JSON object; it is ${quote(text)}.`)
}

export const withPage = (command: Command): Command =>
  command
    .option('--limit <number>', 'how many', '50')
    .option('--cursor <cursor>', 'continue where an earlier list ended')

/** How to get the next page, where there is one. */
export function printMore(nextCursor: string | null): void {
  if (nextCursor !== null) printProgress(`more: --cursor ${nextCursor}`)
}
