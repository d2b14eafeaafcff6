import type { Logger } from 'pino'
import { askHook, type ReadyHookOf } from '../../core/hooks/call-hook.ts'
import type { ExtractedMemories, HookedMemory, InjectedMemories } from './hook-events.ts'

/**
 * Memories that are left after hooks have run: each may leave some out, or have them
 * searched with other words. One that was left out is not found again.
 */
export async function beforeInject<Found extends HookedMemory>(
  logger: Logger,
  hooks: readonly ReadyHookOf<'PreMemoryInject'>[],
  { query: asked, ...turn }: Pick<InjectedMemories, 'scope' | 'sessionId' | 'query'>,
  search: (query: string) => Promise<Found[]>,
  signal: AbortSignal,
): Promise<Found[]> {
  const leftOut = new Set<string>()
  let query = asked
  let found = await search(query)
  for (const hook of hooks) {
    const memories = found.map(toHooked)
    const said = await askHook(logger, hook, { ...turn, query, memories }, signal)
    if ('failure' in said) continue
    const { memories: kept, query: other } = said.answer
    if (kept) for (const { id } of found) if (!kept.includes(id)) leftOut.add(id)
    if (other !== undefined && other !== query) found = await search((query = other))
    found = found.filter(({ id }) => !leftOut.has(id))
  }
  return found
}

/** What may be stored of what was learned. */
export async function afterExtract<Learned extends Omit<HookedMemory, 'id'>>(
  logger: Logger,
  hooks: readonly ReadyHookOf<'PostMemoryExtract'>[],
  turn: Omit<ExtractedMemories, 'memories'>,
  learned: readonly Learned[],
  signal: AbortSignal,
): Promise<Learned[]> {
  let left = learned.map((item, index) => ({ item, id: String(index + 1) }))
  for (const hook of hooks) {
    if (left.length === 0) break
    const memories = left.map(({ item, id }) => toHooked({ ...item, id }))
    const said = await askHook(logger, hook, { ...turn, memories }, signal)
    if ('failure' in said) continue
    const { exclude = [] } = said.answer
    left = left.filter(({ id }) => !exclude.includes(id))
  }
  return left.map(({ item }) => item)
}

const toHooked = ({ id, layer, type, text }: HookedMemory): HookedMemory => ({ id, layer, type, text })
