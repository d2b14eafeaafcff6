import type { Workflows } from '../extensions/workflow/operations.ts'
import type { Command } from 'commander'
import { invalidRequest, notFound, ParleyError } from '../core/protocol/error.ts'
import type { Workflow } from '../extensions/workflow/protocol/workflow.ts'
import { withApi, type Api } from './open.ts'
import { printProgress } from './output.ts'

export interface Options {
  scope?: string
  json?: boolean
  url?: string
  limit?: string
  cursor?: string
}

export function run<Given extends Options>(
  command: Command,
  work: (api: Api, options: Given) => Promise<void>,
): Promise<void> {
  return withApi(command, (api) => work(api, command.optsWithGlobals<Given>()))
}

export const withPage = (command: Command): Command =>
  command
    .option('--limit <number>', 'how many', '50')
    .option('--cursor <cursor>', 'go on where an earlier list ended')

export async function requireNamed(api: Workflows, name: string, { scope }: Options): Promise<Workflow> {
  const found = await findNamed(api, name, scope)
  if (!found) throw notFound('workflow', name)
  return found
}

/** By its id or its name. */
export async function findNamed(api: Workflows, name: string, scope?: string): Promise<Workflow | undefined> {
  for (let cursor: string | undefined; ;) {
    const page = await api.list({ scope, q: name.length <= 200 ? name : undefined, cursor })
    const found = page.items.find((item) => item.name === name)
    if (found) return api.get(found.id, { scope })
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  if (!/^wfl_\w+$/.test(name)) return undefined
  return api.get(name, { scope }).catch((error: unknown) => {
    if (error instanceof ParleyError && error.code === 'not_found') return undefined
    throw error
  })
}

export const tellMore = (nextCursor: string | null) => {
  if (nextCursor !== null) printProgress(`more: --cursor ${nextCursor}`)
}

export function toCount(flag: string, text = '50'): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw invalidRequest(`${flag} is ${JSON.stringify(text)}; it must be a whole number from 1.`)
  return number
}
