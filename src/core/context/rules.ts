import { isAbsolute, relative, resolve, sep } from 'node:path'
import { isInside } from '../files/file-rules.ts'
import { findBases, isOn, type Bases, type Places, type Problem } from './context-places.ts'
import { readNearRules, readOtherRules, readRuleFolder, type RuleSource } from './project-rules.ts'
import { createReader, toHash, type Reader, type Traces } from './file-reader.ts'
import { fitRules, writeSection, type Section } from './rule-budget.ts'
import { isForPaths, type Rule } from './rule.ts'
import { countTokens } from './cut-to-tokens.ts'

/** A file that was read for rules. */
export interface RuleFile {
  path: string
  bytes: number
  /** Of the text that was read. */
  tokens: number
  /** Whether some of it was left out for its size. */
  isCut: boolean
  hash: string
  use: Rule['applies'] | 'imported' | 'disabled' | 'duplicate' | 'left-out'
}

export interface RuleSet {
  /** What holds whatever the work is about: captioned, within the budgets. Empty if there is nothing. */
  always: string
  /** Every rule that is switched on and not a copy of another file. */
  rules: Rule[]
  files: RuleFile[]
  problems: Problem[]
  /** Changes when anything that can reach a prompt does. */
  hash: string
  /** What rules for certain paths may use: tokens. */
  left: RuleBudget
  budget: RuleBudget
  /** The root as it was named and as it really is. */
  roots: string[]
  traces: Traces
}

export interface RuleBudget {
  /** Tokens for files of the project. Default 8,000. */
  project: number
  /** Tokens for custom rules of the scope and the user. Default 4,000. */
  custom: number
}

const defaultBudget: RuleBudget = { project: 8_000, custom: 4_000 }
const projectIntro = 'Rules of this project. Where two disagree, the nearest AGENTS.md wins over all others.'
const customIntro = 'Rules set for this scope and by the user. Where two disagree, the earlier one wins.'

/** Reads all rules of the places. Whatever is wrong with a file is a problem in the result, never a throw. */
export async function readRules(places: Places, budget: RuleBudget = defaultBudget): Promise<RuleSet> {
  const reader = createReader()
  const bases = await findBases(places)
  const sources = isOn(places, 'rules') ? await readSources(reader, bases, places) : []
  const twins = findTwins(sources)
  const rules = sources
    .filter((source) => source.rule.isEnabled && source.rule.text !== '' && !twins.has(source))
    .map(({ rule }) => rule)

  const constant = rules.filter(({ applies }) => applies === 'always')
  const project = writeSection(projectIntro, constant.filter(isOfProject), budget.project)
  const custom = writeSection(customIntro, constant.filter(isCustom), budget.custom)
  const always = [project.text, custom.text].filter((text) => text !== '').join('\n\n')
  const fitted = new Map([...project.fitted, ...custom.fitted])
  return {
    always,
    rules,
    files: sources.flatMap((source) => toRuleFiles(source, twins, fitted)),
    problems: reader.problems,
    hash: toHash(JSON.stringify([always, rules.filter(({ applies }) => applies !== 'always')])),
    left: { project: project.left, custom: custom.left },
    budget,
    roots: [resolve(places.root), bases.root.folder],
    traces: reader.traces,
  }
}

/**
 * The rules for work on these paths, which are absolute or start from the root. `always` does not depend on them,
 * so it can be part of a prompt that must not change; `matching` shares the budgets with it, and what did not fit
 * is in `leftOut`.
 */
export function selectRules(
  ruleSet: RuleSet,
  { paths }: { paths: readonly string[] },
): { always: string; matching: Rule[]; leftOut: Rule[] } {
  const { always, left, budget } = ruleSet
  const fromRoot = paths.flatMap((path) => toPathFromRoot(ruleSet.roots, path) ?? [])
  const meant = ruleSet.rules.filter((rule) => isForPaths(rule, fromRoot))
  const project = fitRules(meant.filter(isOfProject), left.project, budget.project)
  const custom = fitRules(meant.filter(isCustom), left.custom, budget.custom)
  const fitted = new Map([...project.fitted, ...custom.fitted])
  return {
    always,
    matching: meant.flatMap((rule) => fitted.get(rule) ?? []),
    leftOut: meant.filter((rule) => !fitted.get(rule)),
  }
}

const isOfProject = ({ level }: Rule): boolean => level === 'project'
const isCustom = ({ level }: Rule): boolean => level !== 'project'

/** In the order of the prompt. */
async function readSources(reader: Reader, bases: Bases, places: Places): Promise<RuleSource[]> {
  return [
    ...(await readNearRules(reader, bases, places)),
    ...(isOn(places, 'other-tools') ? await readOtherRules(reader, bases) : []),
    ...(await readRuleFolder(reader, bases.root, '.parley/rules', '.md', 'scope')),
    ...(bases.user ? await readRuleFolder(reader, bases.user, 'rules', '.md', 'user') : []),
  ]
}

/** Sources that are the same file as one of a better rank, or have the same text: tools copy and link their files. */
function findTwins(sources: RuleSource[]): Set<RuleSource> {
  const seen = new Set<string>()
  const twins = new Set<RuleSource>()
  for (const source of sources.toSorted((one, two) => one.rule.rank - two.rule.rank)) {
    if (!source.rule.isEnabled || source.rule.applies !== 'always') continue
    const marks = [source.files[0]!.real, `text:${source.rule.text}`]
    if (marks.some((mark) => seen.has(mark))) twins.add(source)
    else for (const mark of marks) seen.add(mark)
  }
  return twins
}

function toRuleFiles(source: RuleSource, twins: Set<RuleSource>, fitted: Section['fitted']): RuleFile[] {
  const { rule, files } = source
  const isLeftOut = fitted.has(rule) && !fitted.get(rule)
  const use = twins.has(source)
    ? 'duplicate'
    : !rule.isEnabled
      ? 'disabled'
      : isLeftOut
        ? 'left-out'
        : rule.applies
  return files.map(({ caption, text, bytes, isCut, hash }, index) => ({
    path: caption,
    bytes,
    tokens: countTokens(text),
    isCut: isCut || isLeftOut || (fitted.get(rule)?.isCut ?? false),
    hash,
    use: index === 0 ? use : 'imported',
  }))
}

function toPathFromRoot(roots: string[], path: string): string | undefined {
  const root = roots.find((folder) => !isAbsolute(path) || isInside(folder, path))
  if (root === undefined) return undefined
  const way = relative(root, resolve(root, path))
  return isInside(root, resolve(root, path)) && way !== '' ? way.split(sep).join('/') : undefined
}
