import { hash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import type { FileRules, FileUse } from '../files/file-rules.ts'
import type { PermissionMode, PermissionRule } from '../protocol/permission.ts'
import { compileWord } from '../shared/glob.ts'
import { isProtected } from './protected-paths.ts'
import { compilePattern, isExact, type PatternContext } from './rule-patterns.ts'
import { listCommands, listSent } from './shell-commands.ts'
import type { Access } from './tool.ts'

/** Rules of one origin; the first that fits a call is the decision of that origin. */
export interface RuleSet {
  origin: 'session' | 'agent' | 'scope' | 'config'
  rules: readonly PermissionRule[]
}

/** What a session may do. */
export interface Authority {
  mode: PermissionMode
  /** The nearest first. */
  ruleSets: readonly RuleSet[]
  /** The folder that relative patterns start from. */
  root?: string
  /** Of a task: what its parent may do, which it can only narrow. */
  parent?: Authority
}

export interface Verdict {
  decision: 'allow' | 'ask' | 'deny'
  /** Why, in a sentence for the person who is asked or refused. */
  reason: string
  /** What decided it. */
  by: 'rule' | 'mode' | 'reach' | 'hook'
}

/** The opinion of a hook about a call, besides all rules. */
export interface Opinion {
  decision: 'allow' | 'ask' | 'deny'
  reason: string
}

export interface Call extends Access {
  tool: string
  /** Given where rules may be about one very call. */
  input?: unknown
}

export const strictness = { allow: 0, ask: 1, deny: 2 } as const

/**
 * Whether a call may be made. A denial counts wherever it is set; otherwise the nearest rule that fits, otherwise the mode.
 * A task may do at most what its parent may. A hook can ask and forbid beyond that, and allows only what the mode of the
 * session itself would ask about.
 */
export function decide(authority: Authority, call: Call, opinion?: Opinion): Verdict {
  const own = heed(authority, decideAlone(authority, call), opinion)
  if (!authority.parent) return own
  const above = decide(authority.parent, call, opinion?.decision === 'allow' ? undefined : opinion)
  return strictness[above.decision] > strictness[own.decision] ? above : own
}

function heed({ mode }: Authority, verdict: Verdict, opinion: Opinion | undefined): Verdict {
  if (!opinion || verdict.decision === 'deny') return verdict
  const { decision, reason } = opinion
  if (decision === 'allow')
    return verdict.decision === 'ask' && verdict.by === 'mode' ? { decision, reason, by: 'hook' } : verdict
  if (decision === 'ask' && verdict.decision === 'ask')
    return { decision, reason: `${reason} ${verdict.reason}`, by: 'hook' }
  return decision === 'ask' && mode === 'dontAsk'
    ? { ...unasked(reason), by: 'hook' }
    : { decision, reason, by: 'hook' }
}

const unasked = (reason: string) =>
  ({ decision: 'deny', reason: `${reason} The session does not ask (dontAsk).` }) as const

function decideAlone({ mode, ruleSets, root }: Authority, call: Call): Verdict {
  const found = ruleSets.flatMap(({ origin, rules }) => {
    const rule = findRule(rules, call, root)
    return rule ? [{ origin, rule }] : []
  })
  const denial = found.find(({ rule }) => rule.decision === 'deny')
  if (denial)
    return {
      decision: 'deny',
      reason: denial.rule.message ?? `A rule of the ${denial.origin} forbids it.`,
      by: 'rule',
    }
  if (mode === 'plan' && call.effect !== 'read')
    return {
      decision: 'deny',
      reason: 'The session is in plan mode: look and propose, change nothing.',
      by: 'mode',
    }
  const wish = found[0] ? byRule(found[0]) : byMode(mode, call)
  const must = findDuty(call, found[0]?.rule)
  const verdict = must ?? wish
  if (verdict.decision !== 'ask') return verdict
  if (mode === 'bypassPermissions' && !must) return { ...verdict, decision: 'allow' }
  return mode === 'dontAsk' ? { ...verdict, ...unasked(verdict.reason) } : verdict
}

/**
 * The decision of one set of rules about a call: the first rule that fits, for each file, command or address by itself. A no to one
 * of them is a no, and only a yes to all is a yes.
 */
function findRule(
  rules: readonly PermissionRule[],
  call: Call,
  root: string | undefined,
): PermissionRule | undefined {
  const named = rules.filter((rule) => isAbout(rule, call))
  const resources = call.resources.length > 0 ? call.resources : [undefined]
  const context = {
    effect: call.effect,
    root,
    list: remembering(call.action === 'send' ? listSent : listCommands),
  }
  const found = resources.map((resource) => named.find((rule) => fits(rule, resource, context)))
  const strictest = (['deny', 'ask'] as const).flatMap((decision) =>
    found.filter((rule) => rule?.decision === decision),
  )
  return strictest[0] ?? (found.includes(undefined) ? undefined : found[0])
}

/** What no mode decides: a person is asked before it, and every time unless a rule decides otherwise for this very file. */
function findDuty(
  { outside, effect, resources, mustAsk }: Call,
  rule: PermissionRule | undefined,
): Verdict | undefined {
  if (outside?.length) {
    const reason = `${outside.join(', ')} is outside the folders of the session.`
    return { decision: 'ask', reason: [reason, ...(mustAsk ? [mustAsk] : [])].join(' '), by: 'reach' }
  }
  if (mustAsk !== undefined) return { decision: 'ask', reason: mustAsk, by: 'reach' }
  const guarded = effect === 'write' ? resources.filter((path) => isAbsolute(path) && isProtected(path)) : []
  if (guarded.length === 0 || isForOne(rule)) return undefined
  return {
    decision: 'ask',
    reason: `Other programs run ${guarded.join(', ')} or take settings from it, so a change is always asked about.`,
    by: 'reach',
  }
}

const isForOne = (rule: PermissionRule | undefined): boolean =>
  rule?.decision === 'allow' && rule.path !== undefined && isExact(rule.path)

const byRule = ({ origin, rule }: { origin: string; rule: PermissionRule }): Verdict => ({
  decision: rule.decision,
  reason: `A rule of the ${origin} says so.`,
  by: 'rule',
})

const effectWords = {
  read: 'It only looks.',
  write: 'It changes something.',
  execute: 'It runs a command.',
  network: 'It reaches out to the network.',
}

function byMode(mode: PermissionMode, { effect }: Call): Verdict {
  const isFree = effect === 'read' || (effect === 'write' && mode === 'acceptEdits')
  return { decision: isFree ? 'allow' : 'ask', reason: effectWords[effect], by: 'mode' }
}

function isAbout(rule: PermissionRule, call: Call): boolean {
  if (!isNamed(rule.tool, call)) return false
  if (rule.inputHash !== undefined && rule.inputHash !== hashInput(call.input)) return false
  return coversAction(rule, call.action)
}

// other ways to the same: a rule that forbids writing a file also forbids to edit, move or delete it
const otherWays: Record<string, readonly string[]> = {
  // what was moved is read under its new name
  read: ['grep', 'move', 'promote'],
  write: ['edit', 'move', 'promote', 'delete'],
}

function coversAction({ action, decision }: PermissionRule, done: string): boolean {
  if (!action || action.includes(done)) return true
  return decision !== 'allow' && action.some((name) => otherWays[name]?.includes(done))
}

function fits(
  { path, decision }: PermissionRule,
  resource: string | undefined,
  context: Omit<PatternContext, 'isAllowing'>,
): boolean {
  if (path === undefined) return true
  if (resource === undefined) return false
  return compilePattern(path, { ...context, isAllowing: decision === 'allow' })(resource)
}

/** Many rules may be held against one line, which is read once. */
function remembering<Read>(read: (text: string) => Read): (text: string) => Read {
  const known = new Map<string, Read>()
  return (text) => known.get(text) ?? known.set(text, read(text)).get(text)!
}

/** Whether a pattern names the tool of a call. */
export const isNamed = (pattern: string, { tool }: Pick<Call, 'tool'>): boolean => compileWord(pattern)(tool)

/** What a rule about one very call knows it by; the order of keys does not count. */
export const hashInput = (input: unknown): string => hash('sha256', JSON.stringify(sortKeys(input)) ?? '')

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [two]) => (one < two ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}

/**
 * The rules about files, for every way to one: a search over a folder, a reference in a message, a link, a move of
 * the folder around it. `ask` means that a person has to be asked about this very file.
 */
export function fileRulesOf(authority: Authority): FileRules {
  const sets = authority.ruleSets.map(({ rules }) =>
    rules.filter(({ tool }) => compileWord(tool)('file')).map((rule) => compileRule(rule, authority.root)),
  )
  const above = authority.parent && fileRulesOf(authority.parent)
  const mayDeny = sets.flat().some((rule) => rule.mayDeny) || above?.mayDeny === true
  const verdictOf: FileRules = (path, use) => {
    const found = sets.flatMap((rules) => rules.find((rule) => rule.fits(path, use)) ?? [])
    if (found.some(({ decision }) => decision === 'deny')) return 'deny'
    const inherited = above?.(path, use)
    if (inherited !== undefined) return inherited
    if (found[0]?.decision === 'ask') return 'ask'
    return use !== 'read' && isProtected(path) && !found[0]?.isForOne ? 'ask' : undefined
  }
  return Object.assign(verdictOf, { mayDeny })
}

function compileRule(rule: PermissionRule, root: string | undefined) {
  const { path, decision } = rule
  const isAllowing = decision === 'allow'
  const matches = path === undefined ? undefined : compilePattern(path, { effect: 'read', root, isAllowing })
  return {
    // without a path it is about the call, which has been decided about, and not about single files
    decision: decision === 'ask' && !matches ? undefined : decision,
    isForOne: isForOne(rule),
    mayDeny: decision === 'deny' && matches !== undefined && rule.inputHash === undefined,
    fits: (resource: string, use: FileUse) =>
      rule.inputHash === undefined && coversAction(rule, use) && (matches?.(resource) ?? true),
  }
}
