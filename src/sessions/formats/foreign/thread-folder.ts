import { realpath } from 'node:fs/promises'
import { invalidRequest, ParleyError, quote } from '../../../protocol/error.ts'
import { messageText } from '../../../protocol/message-text.ts'
import { idSchema } from '../../../protocol/names.ts'
import { roomAgentNamesSchema, roomSettingsSchema } from '../../../protocol/room.ts'
import type { SessionDocument } from '../../../protocol/session.ts'
import { threadSlugSchema } from '../../../protocol/thread.ts'
import { parseJson } from '../json.ts'
import { toDocument } from './conversation.ts'
import { asText, type Fields, isFields, toInstant, toTitle } from './fields.ts'
import { findSessionFiles, type FoundFiles, readBounded, type SessionFiles } from './thread-files.ts'
import { readThreadMessages } from './thread-messages.ts'

export type ThreadFolder = { document: SessionDocument; source: string; problems: string[] }

// what the chat that wrote these folders takes for a title
const titleLength = 20

/**
 * Every session in the thread folders of `root`, one at a time. Where two folders hold the same session, the one
 * updated later counts. `problems` names what was left out: lines of this session and, with the first session,
 * whole folders. `source` is the folder, from `root`.
 */
export async function* readThreadFolders(root: string): AsyncGenerator<ThreadFolder> {
  const base = await realpath(root).catch(() => undefined)
  if (base === undefined) throw invalidRequest(`There is no folder ${quote(root)}.`)
  const found = await findSessionFiles(base)
  const sessions = await chooseNewest(found)
  const { problems } = found
  if (sessions.length === 0 && problems.length > 0)
    throw invalidRequest(`No session can be imported from ${quote(root)}. ${problems.join(' ')}`)
  for (const session of sessions) {
    const thread = await readThread(session)
    yield { ...thread, problems: [...problems.splice(0), ...thread.problems] }
  }
}

/** Reports the older copies. Keeps little of each session in memory: there may be many. */
async function chooseNewest({ sessions, problems }: FoundFiles): Promise<SessionFiles[]> {
  const newest = new Map<string, { session: SessionFiles; updatedAt: string }>()
  for (const session of sessions.values()) {
    const { meta } = await readMeta(session)
    const id = asText(meta.thread_id) ?? session.name
    const updatedAt = toInstant(meta.updated_at) ?? toInstant(meta.created_at) ?? ''
    const rival = newest.get(id)
    const isNewer = rival === undefined || updatedAt > rival.updatedAt
    if (rival)
      problems.push(`${(isNewer ? rival.session : session).source} is an older copy of ${quote(id)}.`)
    if (isNewer) newest.set(id, { session, updatedAt })
  }
  return Array.from(newest.values(), ({ session }) => session)
}

async function readThread(session: SessionFiles): Promise<ThreadFolder> {
  const { meta, problems } = await readMeta(session)
  if (!session.messagesPath) problems.push('There is no messages.jsonl.')
  const rows = session.messagesPath ? await readBounded(session.messagesPath) : Buffer.alloc(0)
  const read = readThreadMessages(rows)
  problems.push(...read.problems)
  const document = toDocument(
    {
      id: [meta.thread_id, session.name].find((id) => idSchema.safeParse(id).success),
      title: toTitle(meta.title) || toTitle(read.messages[0] && messageText(read.messages[0]), titleLength),
      createdAt: meta.created_at,
      ...readMode(meta),
      ...readRoom(meta),
      thread: readSlug(session, meta, problems),
    },
    read.messages,
  )
  return { document, source: session.source, problems }
}

async function readMeta({ metaPath }: SessionFiles): Promise<{ meta: Fields; problems: string[] }> {
  if (metaPath === undefined) return { meta: {}, problems: [] }
  try {
    const meta = parseJson((await readBounded(metaPath)).toString().replace(/^\uFEFF/, ''), 'meta.json')
    if (isFields(meta)) return { meta, problems: [] }
    return { meta: {}, problems: [`meta.json is not an object: ${quote(meta)}.`] }
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return { meta: {}, problems: [`${error.message} It was left out.`] }
  }
}

function readMode({ mode, mode_state: modeState }: Fields): Fields {
  return {
    mode: typeof mode === 'string' && mode.length > 0 && mode.length <= 100 ? mode : undefined,
    modeState: isFields(modeState) ? modeState : undefined,
  }
}

/** What only our own mirror writes. */
const readRoom = ({ agents, room }: Fields): Fields => ({
  agents: roomAgentNamesSchema.safeParse(agents).data,
  room: roomSettingsSchema.safeParse(room).data,
})

/** Our own mirror says whether there is a thread; elsewhere each session of the newer layout has one. */
function readSlug({ thread }: SessionFiles, meta: Fields, problems: string[]): string | undefined {
  const given = isFields(meta.mirrored) ? asText(meta.thread) : (asText(meta.parent_thread) ?? thread)
  if (given === undefined) return undefined
  const slug = threadSlugSchema.safeParse(given.toLowerCase())
  if (!slug.success)
    problems.push(`The thread ${quote(given)} has no name that can be kept; it was left out.`)
  return slug.data
}
