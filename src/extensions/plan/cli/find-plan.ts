import { conflict, invalidRequest, notFound, ParleyError } from '../../../core/protocol/error.ts'
import type { Plan } from '../protocol/plan.ts'
import type { Plans } from '../operations.ts'
import type { Options } from '../../../core/command-line/command-group.ts'

/** By its id or its exact title. */
export async function requirePlan(api: Plans, name: string, { scope }: Options): Promise<Plan> {
  const byId = /^plan_\w+$/.test(name) ? await findById(api, name, scope) : undefined
  if (byId) return byId
  const [found, ...others] = await findByTitle(api, name, scope)
  if (!found) throw notFound('plan', name)
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id)
  throw conflict(`${ids.length} plans have this title; name one by its id: ${ids.join(', ')}.`, { ids })
}

const findById = (api: Plans, id: string, scope: string | undefined): Promise<Plan | undefined> =>
  api.get(id, { scope }).catch((error: unknown) => {
    if (error instanceof ParleyError && error.code === 'not_found') return undefined
    throw error
  })

async function findByTitle(api: Plans, title: string, scope: string | undefined): Promise<Plan[]> {
  const found: Plan[] = []
  for (let cursor: string | undefined; ;) {
    const q = title.length > 0 && title.length <= 200 ? title : undefined
    const page = await api.list({ scope, q, cursor })
    found.push(...page.items.filter((plan) => plan.title === title))
    if (page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}

/** The number of a node; 0 stands for the top where that is a place. */
export function toNodeNumber(flag: string, text: string, least = 1): number {
  const number = Number(text)
  if (!/^\d{1,10}$/.test(text) || number < least)
    throw invalidRequest(`${flag} is ${JSON.stringify(text)}; it must be the number of a node.`)
  return number
}

/** Numbers with commas between them; an empty text is none. */
export const toNodeNumbers = (flag: string, text: string): number[] =>
  text.trim() === '' ? [] : text.split(',').map((part) => toNodeNumber(flag, part.trim()))
