import { join, relative, resolve, sep } from 'node:path'
import { isInside } from '../files/file-rules.ts'
import { isOn, type Base, type Bases, type Places } from './context-places.ts'
import type { Reader, TextFile } from './file-reader.ts'
import { toPlainRule, toRule, type Rule } from './rule.ts'
import { expandImports } from './rule-imports.ts'

/** A rule and the files it was read from: the first is its own, the others were imported. */
export interface RuleSource {
  rule: Rule
  files: TextFile[]
}

// AGENTS.md is meant to be short; this is ten times what it should be
const maxFileBytes = 32 * 1024

/** What other tools read from the root of a project, in the order in which they get space. */
const otherTools: { file?: string; folder?: string; ending?: string }[] = [
  { file: 'GEMINI.md' },
  { folder: '.cursor/rules', ending: '.mdc' },
  { folder: '.clinerules', ending: '.md' },
  { file: '.windsurfrules' },
  { folder: '.roo/rules', ending: '.md' },
  { file: 'CONVENTIONS.md' },
  { file: '.github/copilot-instructions.md' },
]

/** From the user's own AGENTS.md to the one nearest to the work. CLAUDE.md stands in where there is none. */
export async function readNearRules(reader: Reader, bases: Bases, places: Places): Promise<RuleSource[]> {
  const found: RuleSource[] = []
  const add = async (base: Base, path: string) => {
    const file = await reader.read(base, path, maxFileBytes)
    // each is nearer than the one before
    const rank = -1 - found.length
    if (file) found.push({ rule: { ...toPlainRule(file, 'project'), rank }, files: [file] })
    return file !== undefined
  }
  if (bases.user) await add(bases.user, 'AGENTS.md')
  for (const folder of findFolders(bases.root, places)) {
    const hasAgents = await add(bases.root, join(folder, 'AGENTS.md'))
    if (!hasAgents && isOn(places, 'other-tools')) await add(bases.root, join(folder, 'CLAUDE.md'))
  }
  return found
}

export async function readOtherRules(reader: Reader, { root }: Bases): Promise<RuleSource[]> {
  const found: RuleSource[] = []
  for (const { file, folder, ending } of otherTools) {
    if (folder && ending) found.push(...(await readRuleFolder(reader, root, folder, ending, 'project')))
    const read = file && (await reader.read(root, file, maxFileBytes))
    if (!read) continue
    const { text, files } =
      file === 'GEMINI.md' ? await expandImports(reader, root, read) : { text: undefined, files: [] }
    found.push({ rule: toPlainRule(read, 'project', text), files: [read, ...files] })
  }
  return found
}

/** The files of a folder by name, each with front matter about when it applies. */
export async function readRuleFolder(
  reader: Reader,
  base: Base,
  folder: string,
  ending: string,
  level: Rule['level'],
): Promise<RuleSource[]> {
  const found: RuleSource[] = []
  for (const path of await reader.listFiles(base, folder, ending)) {
    const file = await reader.read(base, path, maxFileBytes)
    if (file) found.push({ rule: toRule(file, level, reader.problems), files: [file] })
  }
  return found
}

/** The folders from the root down to the one where the work happens, relative to the root. */
function findFolders(root: Base, { root: named, cwd = '.' }: Places): string[] {
  // either may be a link to the other
  const ways = [resolve(named), root.folder].map((folder) => relative(folder, resolve(folder, cwd)))
  const way = ways.find((candidate) => isInside(root.folder, join(root.folder, candidate))) ?? ''
  const parts = way.split(sep).filter((part) => part !== '')
  return ['.', ...parts.map((_, index) => parts.slice(0, index + 1).join(sep))]
}
