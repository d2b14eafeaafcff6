import type { Dirent } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidRequest, notFound, quote } from '../protocol/error.ts'
import { isInside } from '../files/file-rules.ts'
import { listConfined, readConfined } from '../files/confined-file.ts'
import { decodeText } from '../files/decode-text.ts'
import { parseFrontMatter } from './front-matter.ts'
import {
  findBases,
  isOn,
  mayInstruct,
  untrustedProblem,
  type Base,
  type Places,
  type Problem,
} from './context-places.ts'
import { captionOf, createReader, toHash, type Reader, type Traces } from './file-reader.ts'
import { readSkillMatter, type SkillMatter } from './skill-matter.ts'
import { countTokens, cutNotice, cutToTokens, formatCount, toCaption } from './cut-to-tokens.ts'

/** An Agent Skill, as far as a model needs to know it before it loads the rest. */
export interface Skill extends Omit<SkillMatter, 'allowed-tools'> {
  allowedTools: string[]
  /** Its SKILL.md as it is shown: from the root, or after `user:` or `home:`. */
  path: string
  /** The folder on disk, without links. */
  folder: string
  /** Of the whole SKILL.md. */
  hash: string
}

export interface SkillSet {
  /** By name; each name once, from the first place that has it. */
  skills: Skill[]
  problems: Problem[]
  hash: string
  traces: Traces
}

export interface LoadedSkill {
  skill: Skill
  /** The instructions, without front matter, within 5,000 tokens. */
  text: string
  tokens: number
  isCut: boolean
  /** What lies in `scripts`, `references` and `assets`, as paths for `readSkillFile`. */
  files: string[]
}

// each costs about 100 tokens of every prompt
const maxSkills = 200
const maxBytes = 64 * 1024
const maxBodyTokens = 5_000
const maxFiles = 200
const maxFolderDepth = 4

/**
 * Finds the skills of the scope, then of the user, then of the home folder. Only their front matter is
 * kept; `loadSkill` reads the rest. A skill that breaks the rules is a problem in the result, never a throw.
 */
export async function readSkills(places: Places): Promise<SkillSet> {
  const reader = createReader()
  const found = new Map<string, Skill>()
  for (const { base, folder } of await findSkillFolders(places)) {
    const entries = (await reader.list(base, folder)).filter(mayBeFolder)
    if (!mayInstruct(places, base)) {
      if (entries.length > 0) reader.problems.push(untrustedProblem(captionOf(base, folder)))
      continue
    }
    for (const { name } of entries) {
      const skill = await readSkill(reader, base, join(folder, name), name)
      if (skill) addSkill(found, skill, reader.problems)
    }
  }
  const skills = [...found.values()].sort((one, two) => (one.name < two.name ? -1 : 1))
  const hash = toHash(JSON.stringify(skills.map((skill) => [skill.name, skill.path, skill.hash])))
  return { skills, problems: reader.problems, hash, traces: reader.traces }
}

/** The skills as a prompt lists them: always in the same order. */
export function listSkills({ skills }: SkillSet): Pick<Skill, 'name' | 'description'>[] {
  return skills.map(({ name, description }) => ({ name, description }))
}

/** Reads the instructions of a skill as they are now. */
export async function loadSkill(set: SkillSet, name: string): Promise<LoadedSkill> {
  const skill = requireSkill(set, name)
  const file = await createReader().read({ folder: skill.folder, prefix: '' }, 'SKILL.md', maxBytes)
  if (!file) throw notFound('skill', name)
  const body = parseFrontMatter(file.text).body.trim()
  const start = cutToTokens(body, maxBodyTokens)
  const isCut = file.isCut || start.length < body.length
  const notice = `[Cut: a skill may have ${formatCount(maxBodyTokens)} tokens; the rest is in its SKILL.md.]`
  const text = isCut ? `${start}\n${notice}` : start
  return { skill, text, tokens: countTokens(text), isCut, files: await listFiles(skill.folder) }
}

/** Reads a file of a skill, up to 64 KiB. Refuses whatever is not a regular file in its folder. */
export async function readSkillFile(set: SkillSet, name: string, path: string): Promise<string> {
  const skill = requireSkill(set, name)
  const file = await readConfined(skill.folder, path, maxBytes)
  if (typeof file === 'string')
    throw invalidRequest(`The skill ${quote(name)} has no file ${quote(path)}.`, { name, path })
  const bytes = Number(file.stats.size)
  const text = decodeText(file.content)
  if (text === undefined) return `[${toCaption(path)} is not text: ${formatCount(bytes)} bytes.]`
  return file.isCut ? `${text}\n${cutNotice(toCaption(path), file.content.length, bytes)}` : text
}

async function findSkillFolders(places: Places): Promise<{ base: Base; folder: string }[]> {
  if (!isOn(places, 'skills')) return []
  const { root, user, home } = await findBases(places)
  const own = { parley: '.parley/skills', agents: '.agents/skills', claude: '.claude/skills' }
  const candidates = [
    { base: root, folder: own.parley },
    { base: root, folder: own.agents },
    { base: root, folder: own.claude },
    { base: user, folder: 'skills' },
    { base: home, folder: own.claude },
    { base: home, folder: own.agents },
  ]
  return candidates.flatMap(({ base, folder }) =>
    base && (folder !== own.claude || isOn(places, 'other-tools')) ? [{ base, folder }] : [],
  )
}

const mayBeFolder = (entry: Dirent): boolean => entry.isDirectory() || entry.isSymbolicLink()

async function readSkill(reader: Reader, base: Base, path: string, name: string): Promise<Skill | undefined> {
  const caption = captionOf(base, path)
  const refuse = (where: string, message: string) => {
    reader.problems.push({ path: where, message })
    return undefined
  }
  // the folder may be a link within the base, but nothing in it may lead out of it
  const folder = await realpath(join(base.folder, path)).catch(() => undefined)
  if (folder === undefined) return undefined
  // what is read from it later only knows this folder
  const isClosed = base.forbidden?.some((closed) => isInside(closed, folder) || isInside(folder, closed))
  if (isClosed || !isInside(base.folder, folder))
    return refuse(caption, 'leads out of its folder and was not followed')
  const file = await reader.read({ folder, prefix: `${caption}/` }, 'SKILL.md', maxBytes)
  if (!file) return undefined
  const matter = readSkillMatter(file.text, name)
  if ('fault' in matter) return refuse(file.caption, matter.fault)
  const { 'allowed-tools': allowedTools, ...rest } = matter
  return { ...rest, allowedTools, path: file.caption, folder, hash: file.hash }
}

function addSkill(found: Map<string, Skill>, skill: Skill, problems: Problem[]): void {
  const first = found.get(skill.name)
  // tools link one folder from several places
  if (first?.folder === skill.folder) return
  if (first) problems.push({ path: skill.path, message: `is hidden by ${first.path}` })
  else if (found.size < maxSkills) found.set(skill.name, skill)
  else problems.push({ path: skill.path, message: `is left out: there are ${maxSkills} skills already` })
}

function requireSkill({ skills }: SkillSet, name: string): Skill {
  const skill = skills.find((candidate) => candidate.name === name)
  if (!skill) throw notFound('skill', name)
  return skill
}

async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = []
  const visit = async (path: string, depth: number) => {
    const listed = await listConfined(folder, path, maxFiles)
    if (typeof listed === 'string') return
    for (const entry of listed.entries) {
      if (files.length === maxFiles) return
      if (entry.isFile()) files.push(`${path}/${entry.name}`)
      else if (entry.isDirectory() && depth < maxFolderDepth) await visit(`${path}/${entry.name}`, depth + 1)
    }
  }
  for (const path of ['scripts', 'references', 'assets']) await visit(path, 1)
  return files
}
