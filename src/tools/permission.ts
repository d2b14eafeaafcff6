import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import picomatch from 'picomatch'
import type { PermissionMode, PermissionRule } from '../protocol/permission.ts'
import type { Access } from './tool.ts'

/** Rules of one origin; the first that fits a call is what that origin says of it. */
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
  /** Why, in a sentence for whoever is asked or refused. */
  reason: string
  /** What says so. */
  by: 'rule' | 'mode' | 'reach' | 'hook'
}

/** What a hook says of a call, besides all rules. */
export interface Opinion {
  decision: 'allow' | 'ask' | 'deny'
  reason: string
}

export interface Call extends Access {
  tool: string
}

export const strictness = { allow: 0, ask: 1, deny: 2 } as const

/**
 * Whether a call may be made. A no counts wherever it is said; otherwise the nearest rule that fits, otherwise the mode.
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
    const rule = rules.find((candidate) => fits(candidate, call, root))
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
  const verdict = reachable(call, found[0] ? byRule(found[0]) : byMode(mode, call))
  if (verdict.decision !== 'ask') return verdict
  // what lies outside the workspaces is never opened by a mode alone
  if (mode === 'bypassPermissions' && !call.outside?.length) return { ...verdict, decision: 'allow' }
  return mode === 'dontAsk' ? { ...verdict, ...unasked(verdict.reason) } : verdict
}

const looseness: Record<PermissionMode, number> = {
  plan: 0,
  dontAsk: 0,
  default: 1,
  acceptEdits: 2,
  bypassPermissions: 3,
}

/** A mode that somebody wishes for below another one; undefined, which is to say that one, when it would allow more. */
export const modeWithin = (
  above: PermissionMode,
  wished: PermissionMode | undefined,
): PermissionMode | undefined =>
  wished !== undefined && looseness[wished] <= looseness[above] ? wished : undefined

/** A grant is needed before anything else, whatever rules allow. */
function reachable({ outside }: Call, verdict: Verdict): Verdict {
  if (!outside?.length) return verdict
  return {
    decision: 'ask',
    reason: `${outside.join(', ')} is outside the folders of the session.`,
    by: 'reach',
  }
}

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

/** An allowing rule has to fit all that a call touches, any other one a part of it. */
function fits(
  { tool, action, path, decision }: PermissionRule,
  call: Call,
  root: string | undefined,
): boolean {
  if (!isNamed(tool, call)) return false
  if (action && !action.includes(call.action)) return false
  if (path === undefined) return true
  const matches = matcherOf(path, call, root, decision === 'allow')
  if (decision === 'allow') return call.resources.length > 0 && call.resources.every(matches)
  return call.resources.some(matches)
}

/** Whether a pattern names the tool of a call, or the one that this tool hands the call on to. */
export const isNamed = (pattern: string, { tool, handsOnTo }: Pick<Call, 'tool' | 'handsOnTo'>): boolean =>
  picomatch.isMatch(tool, pattern) || (handsOnTo !== undefined && picomatch.isMatch(handsOnTo, pattern))

function matcherOf(
  pattern: string,
  { effect }: Call,
  root: string | undefined,
  isAllowing: boolean,
): (resource: string) => boolean {
  if (effect === 'execute') return (command) => matchesCommand(pattern, command, isAllowing)
  if (effect === 'network') return (url) => matchesUrl(pattern, url)
  const matches = picomatch(toAbsolute(pattern, root), { dot: true })
  return (path) => matches(path)
}

/** One command that is allowed must not carry another one along. */
function matchesCommand(pattern: string, command: string, isAllowing: boolean): boolean {
  if (command === pattern) return true
  if (isAllowing && /[;&|<>`$(){}\n\r\\]/.test(command)) return false
  return matchesWildcard(pattern, command)
}

/** A pattern without a scheme is about the host: `example.com` and `*.example.com`. */
function matchesUrl(pattern: string, url: string): boolean {
  if (pattern.includes('://')) return matchesWildcard(pattern, url)
  return URL.canParse(url) && picomatch.isMatch(new URL(url).hostname, pattern)
}

/** `*` stands for anything, also for slashes; takes no longer than the texts are long. */
function matchesWildcard(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return text === pattern
  const last = rest.pop()!
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false
  let at = first.length
  const end = text.length - last.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

/** A path as a pattern that fits nothing but itself. */
export const escapePattern = (path: string): string => path.replace(/[\\*?[\]{}()!+@|]/g, '\\$&')

function toAbsolute(pattern: string, root: string | undefined): string {
  if (pattern.startsWith('~/')) return join(escapePattern(homedir()), pattern.slice(2))
  // documents and lists are named by kind and id: they lie in no folder
  if (isAbsolute(pattern) || /^(\*\*|[a-z_]+:)/.test(pattern)) return pattern
  return root === undefined ? pattern : `${escapePattern(root)}/${pattern.replace(/^\.\//, '')}`
}
