import type { Command } from 'commander'
import { printProgress } from './output.ts'

export const withPage = (command: Command): Command =>
  command
    .option('--limit <number>', 'how many', '50')
    .option('--cursor <cursor>', 'go on where an earlier list ended')

/** How to get the next page, where there is one. */
export function printMore(nextCursor: string | null): void {
  if (nextCursor !== null) printProgress(`more: --cursor ${nextCursor}`)
}
