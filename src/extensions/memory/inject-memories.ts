import { messageText } from '../../core/protocol/message-text.ts'
import { sealed } from '../../core/protocol/prompt-tags.ts'
import type { Session } from '../../core/protocol/session.ts'
import { replyId } from '../../core/runs/run-record.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoredMemory } from './store/memory-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { MemoryDeps } from './memory-service.ts'
import { beforeInject } from './memory-hooks.ts'
import type { TurnWords } from './turn-words.ts'
import { searchPlace } from './search-memories.ts'

/** How many of each a turn is given at most. */
export const injectionLimits = { profile: 10, user: 3, scope: 5, session: 5 } as const
export const maxInjectedText = 200
// profiles are among the results, and are in the prompt already
const maxSearched = 50
// less is too little to search for
const minQuery = 4

export interface InjectedMemory {
  id: string
  kind: string
  text: string
}

/** The memories of a turn. A run that got some before gets the same again. */
export async function readMemories(
  deps: MemoryDeps,
  session: Session,
  { message }: TurnWords,
  run: Run,
): Promise<InjectedMemory[]> {
  const { store, hooks, logger } = deps
  const used = await store.listUsed({ runId: run.id })
  if (used.length > 0) return used.map(toInjected)
  const query = messageText(message).trim()
  const search = (words: string) => pick(deps, session, words)
  const turn = { scope: session.scope, sessionId: session.id, query }
  const memories = hooks
    ? await beforeInject(logger, hooks.of('PreMemoryInject'), turn, search, new AbortController().signal)
    : await search(query)
  return memories.map(toInjected)
}

/** Counts what was sent to a model, in the transaction that stores what came of it. */
export const useMemories = (tx: StoreOperations, run: Run, ids: readonly string[]): Promise<void> =>
  tx.useMemories({ runId: run.id, sessionId: run.sessionId, messageId: replyId(run) }, ids)

async function pick(deps: MemoryDeps, { scope, id }: Session, query: string): Promise<StoredMemory[]> {
  const { profile, user, scope: ofScope, session } = injectionLimits
  const aboutUser = { layer: 'user' as const, scope: deps.settings.shareUser ? undefined : scope }
  const profiles = await deps.store.listPlace(aboutUser, {
    type: 'profile',
    status: 'active',
    limit: profile,
  })
  if ([...query].length < minQuery) return profiles
  const found = await searchPlace(deps, aboutUser, query, maxSearched)
  return [
    ...profiles,
    ...found.filter(({ type }) => type !== 'profile').slice(0, user),
    ...(await searchPlace(deps, { scope, layer: 'scope' }, query, ofScope)),
    ...(await searchPlace(deps, { scope, layer: 'session', sessionId: id }, query, session)),
  ]
}

/**
 * A note that a model took of a conversation says so: whatever was said there may have led it, and it is no wish of the
 * user's. What is known of the user comes from the user's words alone.
 */
const toInjected = ({ id, layer, type, author, text }: StoredMemory): InjectedMemory => ({
  id,
  kind: author === 'user' || layer === 'user' ? type : `${type}, noted by the assistant`,
  text: cut(text),
})

/** Sealed first: it takes room too. */
function cut(text: string): string {
  const characters = [...sealed(text).replace(/\s+/g, ' ')]
  return characters.length <= maxInjectedText
    ? characters.join('')
    : `${characters.slice(0, maxInjectedText - 1).join('')}…`
}
