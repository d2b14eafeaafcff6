/**
 * A key that is bound to scopes works with what the operator left it: it may narrow modes, groups and rules, and raise none
 * of them. What counts afterwards is compared with what counted before, since taking a limit away raises as well.
 */
import { isDeepStrictEqual } from 'node:util'
import { ParleyError, quote } from '../protocol/error.ts'
import { modeWithin } from '../protocol/mode-within.ts'
import type { GroupSwitches, PermissionMode, PermissionRule } from '../protocol/permission.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** What is set in one place; what is left out is set further up. */
export interface SetRights {
  permissionMode?: PermissionMode | null
  permissionRules?: readonly PermissionRule[] | null
  toolGroups?: GroupSwitches | null
  allowedTools?: readonly string[] | null
  allowedSkills?: readonly string[] | null
}

/** The same as it is stored, with what only answers to asks give. */
export interface HeldRights extends SetRights {
  grantedPaths?: readonly string[]
}

/** What counts where nothing is set. */
export interface RightsAbove {
  mode: PermissionMode
  groups: GroupSwitches
}

const lists = ['allowedTools', 'allowedSkills'] as const

type Lists = Readonly<Record<string, readonly string[] | null | undefined>>

/**
 * For a session: `before` is what it had, if it was there. Throws `forbidden`, naming what would be raised. Within what
 * the scope has, a session is free to be changed; one that somebody else gave more than that keeps its own limits, too.
 */
export function requireNoRaise(
  { facets }: Pick<StoreOperations, 'facets'>,
  caller: Caller,
  patch: SetRights,
  before: HeldRights,
  above: RightsAbove,
): void {
  if (caller.seesAllScopes) return
  const held = hasMore(before, above) ? before : {}
  requireMode(patch, held, above)
  requireGroups(patch, held, above)
  requireNoAllowance(patch.permissionRules, before.permissionRules ?? [])
  requireStrictness(patch.permissionRules, held.permissionRules ?? [])
  for (const name of [...lists, ...facets.limits])
    requireListKept(name, (patch as Lists)[name], (held as Lists)[name] ?? [])
}

/** For a scope, whose settings are what all of its sessions begin with. */
export function requireNoRaiseOfScope(
  caller: Caller,
  patch: SetRights,
  before: HeldRights,
  above: RightsAbove,
): void {
  if (caller.seesAllScopes) return
  requireMode(patch, before, above)
  requireGroups(patch, before, above)
  requireNoAllowance(patch.permissionRules, before.permissionRules ?? [])
  requireStrictness(patch.permissionRules, before.permissionRules ?? [])
}

const namesOf = (groups: GroupSwitches) => Object.keys(groups) as (keyof GroupSwitches)[]

const hasMore = (
  { permissionMode, permissionRules = [], toolGroups: groups = {}, grantedPaths = [] }: HeldRights,
  above: RightsAbove,
) =>
  (permissionMode && !modeWithin(above.mode, permissionMode)) ||
  permissionRules?.some(({ decision }) => decision === 'allow') ||
  namesOf(groups ?? {}).some((name) => groups?.[name] && above.groups[name] === false) ||
  grantedPaths.length > 0

function requireMode({ permissionMode }: SetRights, before: HeldRights, { mode }: RightsAbove): void {
  if (permissionMode === undefined) return
  const [had, wished] = [before.permissionMode ?? mode, permissionMode ?? mode]
  if (!modeWithin(had, wished))
    throw raised(`set permissionMode to "${wished}"`, `"${had}" is the most it may`)
}

/** Groups are on unless somebody switched them off. */
function requireGroups({ toolGroups: groups }: SetRights, before: HeldRights, above: RightsAbove): void {
  if (groups === undefined) return
  const had = { ...above.groups, ...before.toolGroups }
  const wished = { ...above.groups, ...groups }
  const name = namesOf(had).find((group) => had[group] === false && wished[group] !== false)
  if (name !== undefined) throw raised(`switch on "${name}"`, 'it is off')
}

function requireNoAllowance(
  after: readonly PermissionRule[] | null | undefined,
  before: readonly PermissionRule[],
): void {
  const fresh = after?.find(
    (rule) => rule.decision === 'allow' && !before.some((known) => isDeepStrictEqual(known, rule)),
  )
  if (fresh) throw raised(`add a rule that allows ${quote(fresh.tool)}`, 'it may add those that ask or deny')
}

/** The first rule that fits counts: dropping a strict one, or putting a laxer one before it, raises rights. */
function requireStrictness(
  after: readonly PermissionRule[] | null | undefined,
  before: readonly PermissionRule[],
): void {
  if (after === undefined) return
  const strict = before.filter(({ decision }) => decision !== 'allow')
  let kept = 0
  for (const rule of after ?? []) {
    const next = strict[kept]
    if (next && isDeepStrictEqual(rule, next)) kept++
    else if (next && rule.decision !== 'deny' && !standsBefore(before, rule, next))
      throw raised(
        `put a rule for ${quote(rule.tool)} before one that says "${next.decision}"`,
        'add it behind',
      )
  }
  const lost = strict[kept]
  if (lost)
    throw raised(`take away the rule that says "${lost.decision}" for ${quote(lost.tool)}`, 'it stays')
}

const standsBefore = (rules: readonly PermissionRule[], one: PermissionRule, other: PermissionRule) => {
  const at = rules.findIndex((rule) => isDeepStrictEqual(rule, one))
  return at >= 0 && at < rules.findIndex((rule) => isDeepStrictEqual(rule, other))
}

/** An empty list is no limit. */
function requireListKept(
  name: string,
  after: readonly string[] | null | undefined,
  before: readonly string[],
): void {
  if (after === undefined || before.length === 0) return
  const added = after?.find((entry) => !before.includes(entry))
  if (added !== undefined || !after?.length)
    throw raised(
      `widen ${name}${added === undefined ? '' : ` by ${quote(added)}`}`,
      `it has ${before.join(', ')}`,
    )
}

const raised = (deed: string, instead: string) =>
  new ParleyError('forbidden', `A key that is bound to scopes may not ${deed}: ${instead}.`)
