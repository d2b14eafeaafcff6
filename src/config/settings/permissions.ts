import type { Manifest } from '../../core/manifest.ts'
import { coreGroups, permissionModes, type GroupSwitches } from '../../core/protocol/permission.ts'
import { placedEntries } from '../../core/protocol/placed-fields.ts'
import { setting } from '../../core/settings/setting.ts'
import { groupSwitchesOf, oneOf, permissionRules, wholeNumber } from '../../core/settings/values.ts'
import { builtIn } from '../../extensions/built-in.ts'

const groups = placedEntries<boolean>(
  coreGroups,
  builtIn.flatMap((one: Manifest) => one.facets?.groups ?? []),
)

/** What sessions may do, and how approvals time out. */
export const permissionSettings = {
  'permissions.mode': setting(oneOf(...permissionModes), {
    description:
      'Default permission mode of sessions. default: asks before anything is changed. acceptEdits: files may be ' +
      'changed. plan: nothing is changed. dontAsk: what would be asked is denied. bypassPermissions: nothing is asked.',
    default: 'default',
  }),
  'permissions.rules': setting(permissionRules, {
    description:
      'Rules about tools, in order: `{tool, action, path, decision: allow | ask | deny, message}`.',
    default: [],
  }),
  'tools.groups': setting(groupSwitchesOf(Object.keys(groups) as (keyof GroupSwitches)[]), {
    description: 'Tool groups to switch on or off, such as `{terminal: true}`.',
    defaultText: 'all but `terminal`',
    byName: true,
    default: {},
  }),
  'approvals.timeoutMs': setting(wholeNumber(1_000, 30 * 86_400_000), {
    description: 'How long a person has to answer when a session asks, in milliseconds.',
    default: 300_000,
    project: 'always',
  }),
  'approvals.fallback': setting(oneOf('deny', 'allow'), {
    description: 'The decision when nobody answers in time.',
    default: 'deny',
  }),
}
