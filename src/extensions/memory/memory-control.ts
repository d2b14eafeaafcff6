import { invalidRequest, notFound } from '../../core/protocol/error.ts'
import { replyId } from '../../core/runs/run-record.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { MemoryControl } from './memory-tool.ts'
import type { ToolContext } from '../../core/tools/tool.ts'
import type { MemoryDeps } from './memory-service.ts'
import { storeLearned } from './learn.ts'
import { deleteMemory, listMemories, type MemoryCaller } from './memories.ts'
import { isPersons, ownWords, sentencesAround, type TurnWords } from './turn-words.ts'

const pages = { pageSize: 50 }
// further back than that nobody means "remember this"
const maxTurns = 50
const maxSaid = 500

/** What the tool `memory` does. */
export function createMemoryControl(deps: MemoryDeps): MemoryControl {
  const { store, vectors, settings } = deps
  const session = (layer: string | undefined, sessionId: string) =>
    layer === undefined || layer === 'session' ? sessionId : undefined
  return {
    async search({ scope, sessionId }, { text, layer, limit }) {
      const query = { q: text, layer, session: session(layer, sessionId), limit }
      return (await listMemories(store, { pages, vectors }, asAgent(scope, sessionId), query)).items
    },

    async list({ scope, sessionId }, { layer, limit }) {
      const query = { layer, session: layer === 'session' ? sessionId : undefined, limit }
      const { items } = await listMemories(store, { pages }, asAgent(scope, sessionId), query)
      return items.filter((memory) => memory.sessionId === undefined || memory.sessionId === sessionId)
    },

    async remember(context, { layer, text, evidence }) {
      const { scope, sessionId, runId } = context
      const said = layer === 'user' ? await requireSaid(store, context, evidence) : requireText(text)
      const run = await store.getRun(scope, runId)
      if (!run) throw notFound('run', runId)
      const { messageCount } = await store.requireSession(scope, sessionId)
      const learned = {
        scope,
        layer,
        type: layer === 'user' ? 'profile' : layer === 'scope' ? 'narrative' : 'event_log',
        ...(layer === 'session' && { sessionId }),
        text: said,
        evidence,
        origin: layer === 'user' ? 'user' : 'assistant',
        // the answer comes after what the log holds now
        source: { sessionId, messageId: replyId(run), messageSeq: messageCount + 1, runId },
      } as const
      const { made, changed } = await store.transaction((tx) =>
        storeLearned(tx, run, replyId(run), [learned], settings.maxPerLayer),
      )
      return { id: made[0] ?? changed[0] }
    },

    async forget({ scope, sessionId }, { id, layer }) {
      const memory = await store.getMemory(scope, id)
      const isOwn = memory?.layer !== 'session' || memory.sessionId === sessionId
      if (!memory || !isOwn) throw notFound('memory', id)
      // another layer was allowed, or none was needed: the call counts as declared
      if (memory.layer !== layer)
        throw invalidRequest(`The memory is in layer "${memory.layer}"; say so to forget it.`)
      await deleteMemory(store, asAgent(scope, sessionId), id)
    },
  }
}

const asAgent = (scope: string, id: string): MemoryCaller => ({ scope, actor: { type: 'agent', id } })

function requireText(text: string | undefined): string {
  if (text === undefined || text.trim() === '') throw invalidRequest('"remember" needs "text".')
  return text.trim()
}

/**
 * What is to be known of the user is kept in the user's own words, said in this session: whatever a page or a file makes
 * a model write, it cannot put words into the user's mouth.
 */
async function requireSaid(
  store: StoreOperations,
  { scope, sessionId }: ToolContext,
  evidence: string | undefined,
): Promise<string> {
  if (evidence === undefined)
    throw invalidRequest('Layer "user" needs "evidence": what the user wrote, word for word.')
  const { items } = await store.listRuns(scope, { sessionId, limit: maxTurns })
  for (const run of items) {
    const said = isPersons(run)
      ? sentencesAround(ownWords((run.input as TurnWords).message), evidence)
      : undefined
    if (said !== undefined && said.length <= maxSaid) return said
  }
  throw invalidRequest(
    'The user has not said that in this conversation in so many words. Ask the user, or use layer "session".',
  )
}
