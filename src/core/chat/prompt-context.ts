import { hashText } from '../prompt/assemble.ts'
import { workspaceContext } from '../prompt/fragments/workspace-context.ts'
import type { PromptContext, PromptFacets } from '../prompt/fragment.ts'
import type { JoinedFacets } from '../protocol/joined-facets.ts'
import type { Session } from '../protocol/session.ts'
import type { OpenWindow } from '../sessions/window/windows.ts'
import type { TurnStart } from '../store/queries/turn-start.ts'
import type { AppliedCommand, PromptSource } from './prompt-source.ts'
import type { ScopeView } from './scope-view.ts'
import type { TurnInput } from './turn-input.ts'

/** What is read from disk and from the workspace for a session's prompts. */
export interface DiskContext {
  root?: string
  rules: string
  skills: { name: string; description: string }[]
  activeSkills: { name: string; body: string }[]
  /** A short view of the workspace; changes from turn to turn. */
  workspace?: string
  /** The scope as it is stored, where something of it is shown. */
  view?: ScopeView
  /** The day, for those who calculate with it. */
  today?: string
  /** The slash command that the input is. */
  command?: AppliedCommand
  /** Rules for the paths that the input points at. */
  matchingRules?: string
  /** The rules for certain paths, each as it stands in a prompt; left out where there are none. */
  rulesFor?(paths: readonly string[]): string[]
  /** What the input points at, read from disk. */
  references?: string
}

/** What one part knows for a session's prompts. What it throws fails the turn. */
export type ContextReader = (
  session: Session,
  input: TurnInput,
  start: TurnStart,
) => Promise<Partial<DiskContext>> | Partial<DiskContext>

/** What several know is put together in their order, see `joinTwo`. */
export const joinContext =
  (readers: readonly ContextReader[]) =>
  async (session: Session, input: TurnInput, start: TurnStart): Promise<DiskContext> => {
    let context: DiskContext = { rules: '', skills: [], activeSkills: [] }
    for (const read of readers) context = joinTwo(context, await read(session, input, start))
    return context
  }

/** Lists and texts one after another; of anything else, the first that is given. */
const joinTwo = (
  one: DiskContext,
  other: Partial<DiskContext>,
): { [Name in keyof Required<DiskContext>]: DiskContext[Name] } => ({
  root: one.root ?? other.root,
  rules: joinTexts(one.rules, other.rules) ?? '',
  skills: [...one.skills, ...(other.skills ?? [])],
  activeSkills: [...one.activeSkills, ...(other.activeSkills ?? [])],
  workspace: joinTexts(one.workspace, other.workspace),
  view: one.view ?? other.view,
  today: one.today ?? other.today,
  command: one.command ?? other.command,
  matchingRules: joinTexts(one.matchingRules, other.matchingRules),
  rulesFor: one.rulesFor ?? other.rulesFor,
  references: joinTexts(one.references, other.references),
})

const joinTexts = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || other === undefined ? (one ?? other) : [one, other].filter(Boolean).join('\n\n')

/** The context of a turn, apart from the window. */
export interface TurnContext extends DiskContext {
  /** What the sources of extensions know. */
  facts: PromptFacets
}

/** Collects all that fragments read, so that they can stay pure. */
export function buildPromptContext(
  session: Session,
  input: TurnInput,
  { facts, ...disk }: TurnContext,
  { memo, left }: Pick<OpenWindow, 'memo' | 'left'>,
  {
    sources,
    facets: { folders, tags },
  }: { sources: readonly PromptSource[]; facets: Pick<JoinedFacets, 'folders' | 'tags'> },
): PromptContext {
  const allowed = session.allowedSkills
  return {
    ...facts,
    scope: { name: session.scope, root: disk.root },
    tags,
    session: {
      id: session.id,
      kind: session.kind,
      folders: folders.flatMap(({ name, shownAs, of }) => {
        const path = of(session)
        return path ? { name, shownAs, path } : []
      }),
    },
    rules: disk.rules,
    availableSkills: allowed ? disk.skills.filter(({ name }) => allowed.includes(name)) : disk.skills,
    activeSkills: disk.activeSkills,
    callerPreamble: input.systemPreamble,
    persona: input.persona,
    instructions: session.instructions,
    memo: memo?.memo,
    left,
    taskState: taskStateOf(session, input),
    leftOut: [
      ...(input.includeScopeContext === false ? [workspaceContext.name] : []),
      ...sources.flatMap((source) => source.leftOut?.(input) ?? []),
    ],
    workspace: disk.workspace,
    today: disk.today,
    injection: disk.command?.mode === 'prompt' ? disk.command.text : input.promptInjection,
    outputSchema: input.output?.schema,
    matchingRules: disk.matchingRules,
    references: disk.references,
  }
}

/** A task in its first run needs no word of it. */
function taskStateOf({ kind, bgStatus }: Session, { task }: TurnInput): PromptContext['taskState'] {
  if (kind !== 'background') return undefined
  if (task) return task.isContinued ? 'again' : undefined
  return bgStatus === 'pending' || bgStatus === 'running' ? undefined : 'over'
}

/** Hashes of what the static part is made from: they show, while it stays as sent, what changed on disk. */
export const hashSources = (
  context: PromptContext,
  sources: readonly PromptSource[],
): Record<string, string> => ({
  ...identitiesOf(context, sources),
  rules: hashText(context.rules),
  skills: hashText(JSON.stringify(context.availableSkills)),
})

const ownIdentities = ['persona', 'instructions'] as const
/** Under which an epoch keeps what its static part was made from: no source can have them. */
export const ownSources: readonly string[] = [...ownIdentities, 'rules', 'skills']

/** What makes the static part that of another conversation when it changes. */
function identitiesOf(context: PromptContext, sources: readonly PromptSource[]): Record<string, string> {
  const identities: Record<string, string> = {}
  for (const name of ownIdentities) {
    const text = context[name]
    if (text !== undefined) identities[name] = hashText(text)
  }
  for (const { name, identity } of sources) {
    const text = identity?.(context)
    if (text !== undefined) identities[name] = hashText(text)
  }
  return identities
}

/** Whether the static part as it was sent is still that of this conversation. */
export const isSameIdentity = (
  sent: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  sources: readonly PromptSource[],
): boolean => [...ownIdentities, ...sources.map(({ name }) => name)].every((name) => sent[name] === now[name])

/** The changed sources as text for the dynamic tail; undefined when nothing changed. */
export function describeChanges(
  context: PromptContext,
  sent: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string | undefined {
  const changes: string[] = []
  if (now.rules !== sent.rules)
    changes.push(`These rules replace the earlier ones:\n${context.rules || '(none)'}`)
  if (now.skills !== sent.skills)
    changes.push(
      `These skills are available now:\n${context.availableSkills.map(({ name, description }) => `- ${name}: ${description}`).join('\n') || '(none)'}`,
    )
  return changes.length > 0 ? changes.join('\n\n') : undefined
}
