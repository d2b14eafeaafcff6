import { closeImports } from './rule-imports.ts'
import { renderRule, type Rule } from './rule.ts'
import { countTokens, cutToTokens, formatCount } from './cut-to-tokens.ts'

// a shorter piece of a file is of no use
const leastTokens = 40
// for the line that names what was left out
const noticeTokens = 160
// for the ends of what was imported, as deep as imports go
const closingTokens = 40
const maxNames = 5

export interface Section {
  /** Intro, rules under their captions, and a notice if some did not fit. Empty if there are no rules. */
  text: string
  /** Tokens that are still free. */
  left: number
  /** What became of each rule: as it stands in the text, or `undefined` if it was left out. */
  fitted: Map<Rule, Rule | undefined>
}

/** Writes rules in their order and hands out space by rank, the smallest first. The text stays within `tokens`. */
export function writeSection(intro: string, rules: Rule[], tokens: number): Section {
  if (rules.length === 0) return { text: '', left: tokens, fitted: new Map() }
  const { fitted, left } = fitRules(rules, tokens - countTokens(intro) - noticeTokens, tokens)
  const kept = rules.flatMap((rule) => fitted.get(rule) ?? [])
  const leftOut = rules.filter((rule) => !fitted.get(rule))
  const parts = [intro, ...kept.map(renderRule)]
  if (leftOut.length > 0) parts.push(leftOutNotice(leftOut, tokens))
  return { text: parts.join('\n\n'), left: Math.max(left, 0), fitted }
}

/** Cuts rules to what is left of a budget; `budget` is the whole of it, for the notices. */
export function fitRules(rules: Rule[], space: number, budget: number): Omit<Section, 'text'> {
  const fitted: Section['fitted'] = new Map()
  let left = space
  for (const rule of rules.toSorted((one, two) => one.rank - two.rank)) {
    const piece = fitRule(rule, left, budget)
    fitted.set(rule, piece)
    if (piece) left -= tokensOf(piece)
  }
  return { fitted, left }
}

function fitRule(rule: Rule, space: number, budget: number): Rule | undefined {
  if (tokensOf(rule) <= space) return rule
  const notice = `[Cut: the rest of ${rule.path} does not fit into the ${formatCount(budget)} tokens for rules.]`
  const overhead =
    tokensOf({ ...rule, text: notice }) + (rule.text.includes('<imported ') ? closingTokens : 0)
  if (space - overhead < leastTokens) return undefined
  const text = `${closeImports(cutToTokens(rule.text, space - overhead))}\n${notice}`
  return { ...rule, text, isCut: true }
}

// one for the empty line between two
const tokensOf = (rule: Rule): number => countTokens(renderRule(rule)) + 1

function leftOutNotice(rules: Rule[], budget: number): string {
  const names = rules
    .slice(0, maxNames)
    .map(({ path }) => (path.length > 60 ? `${path.slice(0, 60)}…` : path))
  if (rules.length > maxNames) names.push(`and ${rules.length - maxNames} more`)
  return `[Left out, because rules may have ${formatCount(budget)} tokens: ${names.join(', ')}.]`
}
