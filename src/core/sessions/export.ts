import type { NewMessage } from '../protocol/message.ts'
import type { DocumentRules, JoinedFacets } from '../protocol/joined-facets.ts'
import type { SessionSchemas } from '../protocol/session-schemas.ts'
import type { BgMeta, Session, SessionDocument } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { toPortableMessage, toPortableSession } from './formats/portable.ts'
import type { DocumentHead } from './formats/document.ts'
import { isKept } from './window/memo-schema.ts'
import type { MemoRules } from './window/windows.ts'

// a page is read, checked and written in one go: so many messages, or fewer where they are long
const messagesPerRead = 500
const bytesPerRead = 500_000

/** A session that is read page by page, as it was when this began. All of it can be imported again. */
export interface ReadingSession {
  head: DocumentHead
  messageCount: number
  rules: DocumentRules
  pages(): AsyncGenerator<NewMessage[]>
}

export async function readSession(
  store: StoreOperations,
  windows: MemoRules,
  { scope }: Caller,
  id: string,
): Promise<ReadingSession> {
  const session = await store.requireSession(scope, id)
  const { messageCount } = session
  const memo = await readMemo(store, windows, session)
  const { startSeq = 1 } = (await store.getWindowState(id)) ?? {}
  const checkpoints = await store.listCheckpoints(id, { throughSeq: messageCount + 1 })
  return {
    head: {
      format: 'parley.session',
      version: 1,
      session: toPortableSession({
        ...portable(session, store.facets),
        ...(checkpoints.length > 0 && { checkpoints }),
        ...(startSeq > 1 && { windowStart: startSeq }),
        ...(memo && { memo: { memo: memo.memo, pinned: memo.pinned, throughSeq: memo.throughSeq } }),
      }),
    },
    messageCount,
    rules: store.facets.documents,
    // the log only grows: reading up to the count seen at first is a snapshot without a transaction
    async *pages() {
      for (let after = 0, left = messageCount; left > 0;) {
        const limit = Math.min(messagesPerRead, left)
        const page = await store.listMessages(scope, id, { after, limit, maxBytes: bytesPerRead })
        if (page.length === 0) return
        after = page.at(-1)!.seq
        left -= page.length
        yield page.map(({ seq: _, ...message }) => toPortableMessage(message))
      }
    },
  }
}

/** The whole session as a document that another Parley can import. */
export async function exportSession(
  store: StoreOperations,
  windows: MemoRules,
  caller: Caller,
  id: string,
): Promise<SessionDocument> {
  const { head, pages } = await readSession(store, windows, caller, id)
  const messages: NewMessage[] = []
  for await (const page of pages()) messages.push(...page)
  return { ...head, messages }
}

/**
 * Settings may have changed since it was written. A memo that they refuse now would be refused by every import; without it
 * the log is read again.
 */
async function readMemo(store: StoreOperations, windows: MemoRules, session: Session) {
  const memo = await store.getMemo(session.id)
  if (!memo) return undefined
  return isKept(memo.memo, (await windows.effective(session, store)).memo) ? memo : undefined
}

/** Leaves out what belongs to this machine or grants power, and settles what still runs. */
function portable(session: Session, facets: JoinedFacets): SessionDocument['session'] {
  const {
    scope: _scope,
    chatStatus: _chatStatus,
    permissionMode: _permissionMode,
    grantedPaths: _grantedPaths,
    permissionRules: _permissionRules,
    toolGroups: _toolGroups,
    parentId: _parentId,
    // a document of a stranger must not take the place of a session that is here
    family: _family,
    checkpoints: _checkpoints,
    messageCount: _messageCount,
    updatedAt: _updatedAt,
    damaged: _damaged,
    wakes: _wakes,
    progress: _progress,
    bgMeta,
    toolMeta,
    ...rest
  } = session
  const { carried } = facets.schemas
  return settled({
    ...pick(
      rest,
      Object.keys(rest).filter((name) => !carried.own.includes(name)),
    ),
    ...(bgMeta && {
      bgMeta: { ...pick(bgMeta, carried.bgMeta), triggerType: knownTrigger(bgMeta, carried) },
    }),
    ...(toolMeta && { toolMeta: pick(toolMeta, carried.toolMeta) }),
  })
}

const pick = <Record extends object>(record: Record, names: readonly string[]): Record =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name))) as Record

/** One of an extension that is not here any more says nothing to who reads it. */
const knownTrigger = ({ triggerType }: BgMeta, { triggers }: SessionSchemas['carried']) =>
  triggers.includes(triggerType) ? triggerType : 'api'

/** A run does not travel: what was pending or running elsewhere is interrupted here. */
export function settled(session: SessionDocument['session']): SessionDocument['session'] {
  const isOpen = session.bgStatus === 'pending' || session.bgStatus === 'running'
  return isOpen ? { ...session, bgStatus: 'interrupted' } : session
}
