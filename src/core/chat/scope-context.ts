import { matchingRules } from '../prompt/fragments/matching-rules.ts'
import { workspaceContext } from '../prompt/fragments/workspace-context.ts'
import type { ContextFiles, FileSet } from '../context/context-files.ts'
import { resolveFileReferences } from '../context/file-references.ts'
import type { Places } from '../context/context-places.ts'
import type { Closed, FileRules } from '../files/file-rules.ts'
import type { Session } from '../protocol/session.ts'
import { createReferenceParser, type ReferenceParser, type ReferenceWords } from '../context/references.ts'
import { renderRule } from '../context/rule.ts'
import { selectRules } from '../context/rules.ts'
import { listSkills, loadSkill, type LoadedSkill } from '../context/skills.ts'
import { createContextSource, type ContextSource, type ProjectContext } from '../context/context-source.ts'
import { notFound } from '../protocol/error.ts'
import { inAttribute, sealed } from '../protocol/prompt-tags.ts'
import { messageText } from '../protocol/message-text.ts'
import type { Store } from '../store/store.ts'
import { runCommand } from './commands/run-command.ts'
import { describeScope, type ReadScopeView, type ReadSight } from './scope-view.ts'
import { defaultChatLimits } from './turn-limits.ts'
import type { ContextReader } from './prompt-context.ts'
import { createSessionTypes, type SessionTypes } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'

/** What a Parley reads from the folders of its scopes. */
export interface ScopeContext {
  read: ContextReader
  /** What is in the folder of a scope; undefined when it has none. */
  current(scope: string): Promise<{ root: string; project: ProjectContext } | undefined>
  /** The files of that kind in a folder and of the user; without a folder, of the user. Asks no store, so a transaction can. */
  filesIn<Read extends FileSet>(files: ContextFiles<Read>, root: string | undefined): Promise<Read>
  loadSkill(scope: string, name: string): Promise<LoadedSkill>
  stop(): Promise<void>
}

export interface ScopeContextOptions extends Pick<Places, 'userDir' | 'forbidden'> {
  /** Whether a person has trusted the folder of a scope. Default: each is. */
  isTrusted?: (root: string) => boolean
  /** The rules of the operator about files of a folder. */
  fileRulesIn?: (root: string) => FileRules
  /** The rules about files that a message names. */
  readReferenceRules?: (session: Session, root: string) => Promise<FileRules>
  /** What a session may be shown of its scope unasked; left out, it is shown nothing. */
  readSight?: ReadSight
  /** Reads what else there is to be shown. Default: the scope alone. */
  readView?: ReadScopeView
  /** Most characters of that. Default 2,200. */
  maxScopeContext?: number
  /** What is read beside rules, skills and commands. */
  files?: readonly ContextFiles[]
  /** What messages can refer to beside what every Parley has. */
  references?: readonly ReferenceWords[]
  /** Which sessions are sent what. Default: those that every Parley has. */
  types?: SessionTypes
}

/** A scope without a folder has nothing on disk. */
export function createScopeContext(
  store: Store,
  {
    userDir,
    forbidden,
    isTrusted = () => true,
    fileRulesIn,
    readReferenceRules,
    readSight,
    readView = async (_, { root }) => ({ root }),
    maxScopeContext: maxChars = defaultChatLimits.maxScopeContext,
    files,
    references = [],
    types = createSessionTypes(),
  }: ScopeContextOptions = {},
): ScopeContext {
  const sources = new Map<string, ContextSource>()
  const parser = createReferenceParser(...references)
  /** A person may trust a folder, or no longer trust it, at any moment. */
  const sourceOf = (root: string) => {
    const places = { root, userDir, forbidden, isTrusted: isTrusted(root), fileRules: fileRulesIn?.(root) }
    const key = JSON.stringify([root, places.isTrusted])
    let source = sources.get(key)
    if (!source) sources.set(key, (source = createContextSource(places, { files })))
    return source
  }
  const current: ScopeContext['current'] = async (scope) => {
    const root = (await store.getScope(scope))?.root
    return root === undefined ? undefined : { root, project: await sourceOf(root).current() }
  }

  const load = async (scope: string, name: string) => {
    const found = await current(scope)
    if (!found) throw notFound('skill', name)
    return loadSkill(found.project.skills, name)
  }

  return {
    current,

    async filesIn<Read extends FileSet>(kind: ContextFiles<Read>, root: string | undefined) {
      if (root === undefined) return kind.readOfUser(userDir)
      return (await sourceOf(root).current()).more.get(kind) as Read
    },

    async read(session, input, start) {
      const isViewed = readSight !== undefined && maxChars > 0 && showsScope(types, session, input)
      const view = isViewed ? await readView(session.scope, start) : undefined
      const { root } = start
      const project = root === undefined ? undefined : await sourceOf(root).current()
      const skills = project ? listSkills(project.skills) : []
      const commands = { store, session, custom: project?.commands, skills, loadSkill: load }
      return {
        root,
        view,
        rules: project?.rules.always ?? '',
        skills,
        activeSkills: await Promise.all(
          (input.activeSkills ?? []).map(async (name) => ({
            name,
            body: (await load(session.scope, name)).text,
          })),
        ),
        workspace:
          view && readSight && (await describeScope(view, session, { maxChars, forbidden, readSight })),
        command: input.skipSlashCommands ? undefined : await runCommand(messageText(input.message), commands),
        matchingRules: project && renderRulesFor(project, pathsIn(parser, input)).join('\n'),
        ...(project &&
          project.rules.rules.some(({ applies }) => applies === 'matching') &&
          types.isSent(session, matchingRules) && { rulesFor: (paths) => renderRulesFor(project, paths) }),
        references: await readReferences(store, session, pathsIn(parser, input), input.runRefs, {
          root,
          forbidden,
          readFileRules: root && readReferenceRules ? () => readReferenceRules(session, root) : undefined,
        }),
      }
    },

    loadSkill: load,

    async stop() {
      await Promise.all([...sources.values()].map((source) => source.stop()))
    },
  }
}

/** Left out where no prompt contains it: it has to be read from disk. */
const showsScope = (types: SessionTypes, session: Session, { includeScopeContext = true }: TurnInput) =>
  includeScopeContext && types.isSent(session, workspaceContext)

const renderRulesFor = ({ rules }: ProjectContext, paths: readonly string[]): string[] =>
  selectRules(rules, { paths }).matching.map(renderRule)

/** The paths an input points at: those typed with @ and those handed along. */
function pathsIn(
  { parseReferences }: ReferenceParser,
  { message, referencesIn, fileRefs = [] }: TurnInput,
): string[] {
  const typed = parseReferences(referencesIn ?? messageText(message)).filter(({ type }) => type === 'file')
  return [...typed.map(({ id }) => id), ...fileRefs]
}

async function readReferences(
  store: Store,
  { scope }: Session,
  paths: readonly string[],
  runIds: readonly string[] = [],
  { root, ...closed }: Closed & { root?: string },
): Promise<string | undefined> {
  const references = paths.map((id) => ({ type: 'file' as const, id, raw: id, start: 0, end: 0 }))
  const files = root === undefined ? [] : await resolveFileReferences(references, root, { scope, ...closed })
  const texts = files.map(
    ({ path, text }) => `<file path="${path}">\n${withNote(text, sealed(text))}\n</file>`,
  )
  for (const id of runIds) {
    const run = await store.getRun(scope, id)
    const said = run
      ? JSON.stringify({ kind: run.kind, status: run.status, outcome: run.outcome })
      : 'There is no such run.'
    texts.push(`<run id="${inAttribute(id)}">\n${sealed(said)}\n</run>`)
  }
  return texts.length > 0 ? texts.join('\n') : undefined
}

/** A model may rewrite the file, and must not write what appears only here. */
const withNote = (text: string, shown: string) =>
  shown === text
    ? text
    : `${shown}\n[Some "<" have a blank after them that the file does not have. Read it by the tool "file" before you change it.]`
