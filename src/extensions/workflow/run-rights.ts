import { modeWithin } from '../../core/protocol/mode-within.ts'
import type { GroupSwitches } from '../../core/protocol/permission.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { NewSession } from '../../core/store/queries/sessions.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { WorkflowDeps } from './workflow-service.ts'

type Rights = Partial<NewSession>

/**
 * A run that starts by itself and was written by a model may do what any session of the scope may, within the rights of that model:
 * approvals that a person gave were for that conversation.
 */
export async function rightsWithin(
  tx: StoreOperations,
  { readMode }: Pick<WorkflowDeps, 'readMode'>,
  author: Session,
): Promise<Rights> {
  const { scope, allowedTools, allowedSkills, allowedMcpServerIds, permissionRules, toolGroups } = author
  return {
    allowedTools,
    allowedSkills,
    allowedMcpServerIds,
    permissionMode: modeWithin(await readMode(tx, { scope }), await readMode(tx, author)),
    permissionRules: permissionRules?.filter(({ decision }) => decision !== 'allow'),
    toolGroups: toolGroups && onlyOff(toolGroups),
  }
}

const onlyOff = (groups: GroupSwitches): GroupSwitches =>
  Object.fromEntries(Object.entries(groups).filter(([, isOn]) => isOn === false))
