import type { Sessions } from '../core/chat/session-operations.ts'
import { printProgress } from '../core/command-line/output.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import type { PermissionMode } from '../core/protocol/permission.ts'

export interface SessionChoice {
  session?: string
  /** The newest one. */
  continue?: boolean
  /** Of a new session. */
  instructions?: string
  permissionMode?: PermissionMode
  scope?: string
}

/** The session that is named, the newest one, or a new one with this title. */
export async function findSession(
  sessions: Sessions,
  options: SessionChoice,
  title?: string,
): Promise<string> {
  const { scope, instructions, permissionMode } = options
  const known = await findKnown(sessions, options)
  if (known === undefined) return (await sessions.create({ scope, title, instructions, permissionMode })).id
  if (permissionMode !== undefined) await sessions.update(known, { scope, permissionMode })
  return known
}

async function findKnown(
  sessions: Sessions,
  { session, continue: isNewest, instructions, scope }: SessionChoice,
): Promise<string | undefined> {
  if (session !== undefined && isNewest)
    throw invalidRequest('Give --session or --continue, not both: each names a session.')
  if (instructions !== undefined && (session !== undefined || isNewest))
    throw invalidRequest(
      '--instructions are for a new session; those of another are changed by "parley sessions instructions".',
    )
  if (session !== undefined || !isNewest) return session
  const [newest] = (await sessions.list({ scope, kind: 'interactive', limit: 1 })).items
  if (!newest) printProgress('there is no session to continue; this is a new one')
  return newest?.id
}
