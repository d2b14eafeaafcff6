import { hashText } from '../prompt/assemble.ts'
import { memoryProfile } from '../../extensions/memory/fragments/memory-profile.ts'
import { workspaceContext } from '../prompt/fragments/workspace-context.ts'
import type { PromptContext } from '../prompt/fragment.ts'
import type { Session } from '../protocol/session.ts'
import type { OpenWindow } from '../sessions/window/windows.ts'
import type { TurnInput } from './turn-input.ts'

/** What is read from disk and from the workspace for a session's prompts. */
export interface DiskContext {
  root?: string
  rules: string
  skills: { name: string; description: string }[]
  activeSkills: { name: string; body: string }[]
  /** A short view of the workspace; changes from turn to turn. */
  workspace?: string
  /** The day, for whoever plans by it. */
  today?: string
  memories?: { text: string; kind: string }[]
  /** The slash command that the input is. */
  command?: { mode: 'prompt' | 'action'; text: string; allowedTools: string[] }
  /** Rules for the paths that the input points at. */
  matchingRules?: string
  /** The rules for certain paths, each as it stands in a prompt; left out where there are none. */
  rulesFor?(paths: readonly string[]): string[]
  /** What the input points at, read from disk. */
  references?: string
  /** What this session holds, and what others hold of the things it changed. */
  locks?: PromptContext['locks']
  /** The definition that the session edits, as it is now. */
  editedWorkflow?: string
  /** Of a session about a plan. */
  plan?: PlanFacts
}

/** What a session about a plan is told of it. */
export interface PlanFacts {
  /** Undefined while it has none. */
  id?: string
  /** Of the plan, when its outline was made or before. */
  version?: number
  reply: NonNullable<PromptContext['planReply']>
  outline?: string
  list?: string
  results?: string
}

/** What one part knows for a session's prompts. What it throws fails the turn. */
export type ContextReader = (
  session: Session,
  input: TurnInput,
) => Promise<Partial<DiskContext>> | Partial<DiskContext>

/** What several know is put together in their order, see `joinTwo`. */
export const joinContext =
  (readers: readonly ContextReader[]) =>
  async (session: Session, input: TurnInput): Promise<DiskContext> => {
    let context: DiskContext = { rules: '', skills: [], activeSkills: [] }
    for (const read of readers) context = joinTwo(context, await read(session, input))
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
  today: one.today ?? other.today,
  memories: joinLists(one.memories, other.memories),
  command: one.command ?? other.command,
  matchingRules: joinTexts(one.matchingRules, other.matchingRules),
  rulesFor: one.rulesFor ?? other.rulesFor,
  references: joinTexts(one.references, other.references),
  locks: joinLists(one.locks, other.locks),
  editedWorkflow: one.editedWorkflow ?? other.editedWorkflow,
  plan: one.plan ?? other.plan,
})

const joinTexts = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || other === undefined ? (one ?? other) : [one, other].filter(Boolean).join('\n\n')

const joinLists = <Item>(
  one: readonly Item[] | undefined,
  other: readonly Item[] | undefined,
): Item[] | undefined => (one || other) && [...(one ?? []), ...(other ?? [])]

/** Gathers all that fragments look at, so that they can stay pure. */
export function buildPromptContext(
  session: Session,
  input: TurnInput,
  disk: DiskContext,
  { memo, left }: Pick<OpenWindow, 'memo' | 'left'>,
): PromptContext {
  const allowed = session.allowedSkills
  return {
    scope: { name: session.scope, root: disk.root },
    session: {
      id: session.id,
      kind: session.kind,
      workspaceDir: session.bgMeta?.workspaceDir ?? session.toolMeta?.runWorkspaceDir,
      persistentWorkspaceDir:
        session.bgMeta?.persistentWorkspaceDir ?? session.toolMeta?.persistentWorkspaceDir,
    },
    rules: disk.rules,
    availableSkills: allowed ? disk.skills.filter(({ name }) => allowed.includes(name)) : disk.skills,
    activeSkills: disk.activeSkills,
    callerPreamble: input.systemPreamble,
    persona: input.persona,
    memo: memo?.memo,
    left,
    workflow: input.workflow,
    managedWorkflow:
      session.kind === 'tool'
        ? { name: session.toolMeta?.workflowName, label: session.toolMeta?.label }
        : undefined,
    seat: input.seat,
    planNode: input.plan,
    planReply: disk.plan?.reply,
    planOutline: disk.plan?.outline,
    planList: disk.plan?.list,
    planResults: disk.plan?.results,
    taskState: taskStateOf(session, input),
    leftOut: [
      ...(input.includeScopeContext === false ? [workspaceContext.name] : []),
      ...(input.skipMemory ? [memoryProfile.name] : []),
    ],
    workspace: disk.workspace,
    today: disk.today,
    locks: disk.locks ?? [],
    memories: disk.memories ?? [],
    injection: disk.command?.mode === 'prompt' ? disk.command.text : input.promptInjection,
    editedWorkflow: disk.editedWorkflow ?? input.workflowEditContext,
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

/** Hashes of what the static part is made from: tells, while it stays as sent, what changed on disk. */
export const sourcesOf = ({
  rules,
  availableSkills,
  persona,
  planReply,
  seat,
}: PromptContext): Record<string, string> => ({
  ...(persona !== undefined && { persona: hashText(persona) }),
  ...(seat && { seat: hashText(`${seat.persona}\n${seat.peers}\n${seat.rules}`) }),
  ...(planReply && { plan: hashText(planReply.binding) }),
  rules: hashText(rules),
  skills: hashText(JSON.stringify(availableSkills)),
})

/** The changed sources as text for the dynamic tail; undefined when nothing changed. */
export function describeChanges(context: PromptContext, sources: Record<string, string>): string | undefined {
  const now = sourcesOf(context)
  const changes: string[] = []
  if (now.rules !== sources.rules)
    changes.push(`These rules replace the earlier ones:\n${context.rules || '(none)'}`)
  if (now.skills !== sources.skills)
    changes.push(
      `These skills are available now:\n${context.availableSkills.map(({ name, description }) => `- ${name}: ${description}`).join('\n') || '(none)'}`,
    )
  return changes.length > 0 ? changes.join('\n\n') : undefined
}
