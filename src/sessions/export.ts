import type { Message } from '../protocol/message.ts'
import type { Session, SessionDocument } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

// large enough that a round trip to the database does not count, small enough to stay off the heap's edge
const messagesPerRead = 1_000

/** The whole session as a document that another Parley can import. */
export async function exportSession(
  store: StoreOperations,
  { scope }: Caller,
  id: string,
): Promise<SessionDocument> {
  const session = await store.requireSession(scope, id)
  const memo = await store.getMemo(id)
  const { startSeq = 1 } = (await store.getWindowState(id)) ?? {}
  const checkpoints = await store.listCheckpoints(id, { throughSeq: session.messageCount + 1 })
  const messages: Message[] = []
  // the log only grows: reading up to the count seen at first is a snapshot without a transaction
  while (messages.length < session.messageCount) {
    const after = messages.at(-1)?.seq ?? 0
    const limit = Math.min(messagesPerRead, session.messageCount - messages.length)
    const page = await store.listMessages(scope, id, { after, limit })
    if (page.length === 0) break
    messages.push(...page)
  }
  return {
    format: 'parley.session',
    version: 1,
    session: {
      ...portable(session),
      ...(checkpoints.length > 0 && { checkpoints }),
      ...(startSeq > 1 && { windowStart: startSeq }),
      ...(memo && { memo: { memo: memo.memo, pinned: memo.pinned, throughSeq: memo.throughSeq } }),
    },
    messages: messages.map(({ seq: _, ...message }) => message),
  }
}

/** Leaves out what belongs to this machine or grants power, and settles what still runs. */
function portable(session: Session): SessionDocument['session'] {
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
    bgMeta,
    toolMeta,
    ...rest
  } = session
  return settled({
    ...rest,
    ...(bgMeta && { bgMeta: withoutFolders(bgMeta) }),
    ...(toolMeta && { toolMeta: withoutFolders(withoutRun(toolMeta)) }),
  })
}

function withoutFolders<Meta extends object>(meta: Meta): Meta {
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => !key.endsWith('WorkspaceDir') && key !== 'workspaceDir'),
  ) as Meta
}

const withoutRun = ({
  runId: _runId,
  triggerType: _triggerType,
  depth: _depth,
  ...meta
}: NonNullable<Session['toolMeta']>) => meta

/** A run does not travel: what was pending or running elsewhere is interrupted here. */
export function settled(session: SessionDocument['session']): SessionDocument['session'] {
  const isOpen = session.bgStatus === 'pending' || session.bgStatus === 'running'
  return isOpen ? { ...session, bgStatus: 'interrupted' } : session
}
