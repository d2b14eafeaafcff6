import { listCommands } from '../chat/commands/run-command.ts'
import { toSpecs } from '../chat/offer-tools.ts'
import type { Problem } from '../context/context-places.ts'
import {
  maxFoundFiles,
  type CommandList,
  type FileList,
  type FileQuery,
  type RuleList,
  type SkillList,
  type ToolList,
} from '../protocol/catalogue.ts'
import type { Caller } from '../sessions/caller.ts'
import type { CatalogueDeps } from './open-catalogue.ts'

type InScope = Pick<Caller, 'scope'>

/** All tools of this Parley; which of them a session may use is a matter of the session. */
export function listTools({ tools }: Pick<CatalogueDeps, 'tools'>): ToolList {
  const sorted = tools.toSorted((one, two) => (one.name < two.name ? -1 : 1))
  const specs = toSpecs(sorted)
  return {
    items: sorted.map(({ group }, index) => ({ ...specs[index]!, ...(group !== undefined && { group }) })),
    nextCursor: null,
  }
}

export async function listRules({ context }: CatalogueDeps, { scope }: InScope): Promise<RuleList> {
  const rules = (await context.current(scope))?.project.rules
  return {
    items: (rules?.files ?? []).map(({ path, bytes, tokens, isCut, use }) => ({
      source: path,
      bytes,
      tokens,
      isCut,
      use,
    })),
    problems: toProblems(rules),
    nextCursor: null,
  }
}

export async function listSkills({ context }: CatalogueDeps, { scope }: InScope): Promise<SkillList> {
  const skills = (await context.current(scope))?.project.skills
  return {
    items: (skills?.skills ?? []).map(({ name, description, path }) => ({ name, description, source: path })),
    problems: toProblems(skills),
    nextCursor: null,
  }
}

/** Those of the scope and the user, and those that come with Parley. */
export async function listSlashCommands(
  { context }: CatalogueDeps,
  { scope }: InScope,
): Promise<CommandList> {
  const commands = (await context.current(scope))?.project.commands
  return {
    items: listCommands(commands).map(({ name, aliases, description, argumentHint, mode, source }) => ({
      name,
      aliases: [...aliases],
      ...(description !== undefined && { description }),
      ...(argumentHint !== undefined && { argumentHint }),
      mode,
      source,
    })),
    problems: toProblems(commands),
    nextCursor: null,
  }
}

/** Paths in the folder of the scope, as an input may point at them with `@`. */
export async function findFiles(
  { store, files }: CatalogueDeps,
  { scope }: InScope,
  { q = '', limit = maxFoundFiles }: Omit<FileQuery, 'scope'>,
): Promise<FileList> {
  const root = (await store.getScope(scope))?.root
  const found = root === undefined ? { items: [], isCut: false } : await files.find(root, q, limit)
  return { ...found, nextCursor: null }
}

const toProblems = (set: { problems: Problem[] } | undefined) =>
  (set?.problems ?? []).map(({ path, message }) => ({ source: path, message }))
