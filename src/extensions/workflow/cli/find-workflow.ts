import type { Workflows } from '../operations.ts'
import { notFound, ParleyError } from '../../../core/protocol/error.ts'
import type { Workflow } from '../protocol/workflow.ts'
import type { Options } from '../../../core/command-line/command-group.ts'

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
