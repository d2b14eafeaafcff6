import { z } from 'zod'
import { workspaceNames, type Location, type Workspaces } from '../../core/files/workspaces.ts'
import { invalidRequest } from '../../core/protocol/error.ts'
import type { JoinedFacets } from '../../core/protocol/joined-facets.ts'
import { defineTool, type Access, type Tool, type ToolContext } from '../../core/tools/tool.ts'
import { deleteFile, editFile, moveFile, writeFile } from './change-file.ts'
import { placesOf, requirePlace } from './file-place.ts'
import { globFiles } from './glob-files.ts'
import { grepFiles } from './grep-files.ts'
import { listFolder } from './list-folder.ts'
import { readFile } from './read-file.ts'

const actions = ['list', 'read', 'write', 'edit', 'move', 'delete', 'grep', 'glob', 'promote'] as const
const maxPathLength = 4_096
const maxContent = 2_000_000
const path = z.string().min(1).max(maxPathLength)
// a page that a model takes in at once; the rest it reads when it needs it
const maxAnswer = 50_000
const spaceForNotes = 500
const minSpace = 100
const line = z.int().min(1).max(100_000_000)

const inputSchemaOf = (workspaces: readonly string[]) =>
  z.strictObject({
    action: z.enum(actions),
    path: path.optional(),
    workspace: z.enum(workspaces).optional(),
    content: z.string().max(maxContent).optional(),
    edits: z
      .array(
        z.strictObject({
          old: z.string().min(1).max(maxContent),
          new: z.string().max(maxContent),
          all: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(100)
      .optional(),
    to: path.optional(),
    to_workspace: z.enum(workspaces).optional(),
    overwrite: z.boolean().optional(),
    recursive: z.boolean().optional(),
    start_line: line.optional(),
    end_line: line.optional(),
    offset: z.int().min(0).max(100_000_000).optional(),
    numbers: z.boolean().optional(),
    pattern: z.string().min(1).max(1_000).optional(),
    fixed: z.boolean().optional(),
    case_sensitive: z.boolean().optional(),
    files: z.string().min(1).max(256).optional(),
    context: z.int().min(0).max(10).optional(),
    limit: z.int().min(1).max(1_000).optional(),
    newest_first: z.boolean().optional(),
    include_ignored: z.boolean().optional(),
  })
type Input = z.infer<ReturnType<typeof inputSchemaOf>>

export interface FileToolOptions {
  /** Most characters of an answer; more than 50,000, the default, it never has. */
  maxOutput?: number
  /** How long one search may take. Default 20,000. */
  searchMs?: number
  /** Folders of extensions, besides the workspaces of all sessions. */
  facets?: Pick<JoinedFacets, 'folders' | 'folderNotes'>
}

const workspaceNotes = ['"main" (the project, the default)', '"session" (scratch files of this conversation)']

/** What a model does with files. All of it stays in the workspaces of the session and in what was granted. */
export function createFileTool({
  maxOutput = maxAnswer,
  searchMs = 20_000,
  facets: { folders, folderNotes } = { folders: [], folderNotes: [] },
}: FileToolOptions = {}): Tool {
  const space = Math.max(minSpace, Math.min(maxAnswer, maxOutput) - spaceForNotes)
  return defineTool({
    name: 'file',
    group: 'workspace',
    offered: 'whole',
    description:
      `Works with files. Paths are relative to a workspace: ${[...workspaceNotes, ...folderNotes].join(', ')}. ` +
      '"list" a folder; "read" a text file, from start_line to end_line, with numbers of lines; "write" a whole file with content; ' +
      '"edit" exact pieces of text: edits [{old, new, all?}], all of them or none; "move" path to to (overwrite replaces what is there); ' +
      '"delete" a file or an empty folder, with recursive a whole one; "grep" lines by pattern, a regular expression (fixed: plain text; ' +
      'files: a glob such as *.ts; context: lines around); "glob" files by a pattern such as **/*.md; both leave out what ignore files name ' +
      'unless include_ignored is true; "promote" a file of another workspace into main.',
    input: inputSchemaOf([...workspaceNames, ...folders.map(({ name }) => name)]),
    access,
    execute: (input, context) => act(input, context, { maxOutput: space, searchMs }),
  })
}

/** The others look at names and at many files at once, or leave nothing to work on. */
const opening: readonly string[] = ['read', 'write', 'edit', 'move', 'promote']
const changing: readonly string[] = ['write', 'edit', 'move', 'delete', 'promote']

function access(input: Input, workspaces: Workspaces): Access {
  const { action } = input
  const effect = changing.includes(action) ? 'write' : 'read'
  const places = placesOf(workspaces, pathsOf(input))
  return { action, effect, ...places, ...(opening.includes(action) && { opens: places.resources }) }
}

interface AskedPath {
  path: string
  asked?: string
}

/** What is worked on, and where it goes. */
function pathsOf({
  action,
  path: given = '.',
  workspace,
  to,
  to_workspace: toWorkspace,
}: Input): AskedPath[] {
  const asked = workspace ?? (action === 'promote' ? 'session' : undefined)
  const first = { path: given, asked }
  if (action === 'promote') return [first, { path: to ?? given, asked: 'main' }]
  return action === 'move' && to !== undefined
    ? [first, { path: to, asked: toWorkspace ?? workspace }]
    : [first]
}

async function act(
  input: Input,
  context: ToolContext,
  { maxOutput, searchMs }: Required<Omit<FileToolOptions, 'facets'>>,
): Promise<unknown> {
  const { action } = input
  requireFields(input)
  const [place, target] = pathsOf(input).map(({ path: given, asked }) =>
    requirePlace(context.workspaces, given, asked),
  ) as [Location, Location]
  const search = {
    includesIgnored: input.include_ignored ?? false,
    maxOutput,
    maxMs: searchMs,
    signal: context.signal,
  }
  switch (action) {
    case 'list':
      return listFolder(place, maxOutput)
    case 'read':
      return readFile(place, toRange(input), maxOutput)
    case 'write':
      return writeFile(place, input.content!, context)
    case 'edit':
      return editFile(place, input.edits!, context)
    case 'delete':
      return deleteFile(place, input.recursive ?? false, context)
    case 'move':
      return moveFile(place, target, input.overwrite ?? false, context)
    case 'promote':
      requirePromotable(place, target)
      return moveFile(place, target, input.overwrite ?? false, context)
    case 'grep':
      return grepFiles(place, toGrep(input), search)
    case 'glob':
      return globFiles(
        place,
        { pattern: input.pattern!, isNewestFirst: input.newest_first ?? false, limit: input.limit ?? 200 },
        search,
      )
  }
}

const needed: Record<Input['action'], readonly (keyof Input)[]> = {
  list: [],
  read: ['path'],
  write: ['path', 'content'],
  edit: ['path', 'edits'],
  move: ['path', 'to'],
  delete: ['path'],
  grep: ['pattern'],
  glob: ['pattern'],
  promote: ['path'],
}

function requireFields(input: Input): void {
  const missing = needed[input.action].filter((field) => input[field] === undefined)
  if (missing.length > 0) throw invalidRequest(`"${input.action}" needs "${missing.join('" and "')}".`)
}

function requirePromotable(from: Location, to: Location): void {
  if (from.workspace === 'main' || from.workspace === 'granted')
    throw invalidRequest(
      '"promote" takes a file of the session, run or workflow workspace; use "move" for others.',
    )
  if (to.workspace !== 'main') throw invalidRequest('There is no main workspace to promote a file to.')
}

const toRange = ({ start_line: startLine, end_line: endLine, offset, numbers: hasNumbers }: Input) => ({
  startLine,
  endLine,
  offset,
  hasNumbers,
})

const toGrep = ({ pattern, fixed, case_sensitive: isCaseSensitive, files, context, limit }: Input) => ({
  pattern: pattern!,
  isFixed: fixed ?? false,
  isCaseSensitive: isCaseSensitive ?? false,
  files,
  context: context ?? 0,
  maxMatches: limit ?? 100,
})
