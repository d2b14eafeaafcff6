import type { PermissionRule } from '../../../src/client/index.ts'

export type RuleChange =
  | { kind: 'add'; rule: PermissionRule }
  | { kind: 'remove'; index: number; rule: PermissionRule }
  | { kind: 'move'; index: number; by: -1 | 1; rule: PermissionRule }

/**
 * The rules after a change. Undefined when the rule is not where the person saw it: somebody else, or an "always allow",
 * has changed the list meanwhile.
 */
export function changeRules(
  rules: readonly PermissionRule[],
  change: RuleChange,
): PermissionRule[] | undefined {
  if (change.kind === 'add') return [...rules, change.rule]
  const { index, rule } = change
  if (!isSame(rules[index], rule)) return undefined
  const others = rules.toSpliced(index, 1)
  return change.kind === 'remove' ? others : others.toSpliced(index + change.by, 0, rule)
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** What was typed into the form, as a rule; undefined without a tool. */
export function toRule(draft: RuleDraft): PermissionRule | undefined {
  const [tool, path, message] = [draft.tool, draft.path, draft.message].map((text) => text.trim())
  const actions = draft.actions
    .split(/[,，\s]+/)
    .map((action) => action.trim())
    .filter(Boolean)
  if (!tool) return undefined
  return {
    tool,
    ...(actions.length > 0 && { action: actions }),
    ...(path && { path }),
    decision: draft.decision,
    ...(message && draft.decision === 'deny' && { message }),
  }
}

export interface RuleDraft {
  tool: string
  actions: string
  path: string
  decision: PermissionRule['decision']
  message: string
}

export const emptyRule: RuleDraft = { tool: '', actions: '', path: '', decision: 'allow', message: '' }
