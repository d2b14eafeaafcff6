import type { GroupSwitches } from '../protocol/permission.ts'
import type { Session } from '../protocol/session.ts'
import type { EffectiveWindow } from '../sessions/window/window-settings.ts'
import type { Tool } from '../tools/tool.ts'
import type { SessionType } from './session-types.ts'
import type { ChatDeps } from './turn-limits.ts'
import type { TurnInput } from './turn-input.ts'

// of a window without a limit: what most models can take in
const unlimitedTokens = 100_000
const charsPerToken = 4

/** All tools of a session: those that are always there, and those that have to be looked up. */
export async function readTools(
  { tools, toolSources }: Pick<ChatDeps, 'tools' | 'toolSources'>,
  session: Session,
  input: TurnInput,
): Promise<readonly Tool[]> {
  if (toolSources.length === 0) return tools
  const more = await Promise.all(toolSources.map((read) => read(session, input)))
  return [...tools, ...more.flat()]
}

type WindowSize = Pick<EffectiveWindow, 'maxTokens' | 'maxChars'>

export const windowTokensOf = ({ maxTokens, maxChars }: WindowSize): number =>
  Math.min(maxTokens || Infinity, maxChars / charsPerToken || Infinity, unlimitedTokens)

/** What is offered whole to a session of this type, also where it is otherwise offered by a line. */
export const namedTools = (
  { allowedTools = [] }: Session,
  { wholeTools = [] }: SessionType,
  commandTools: readonly string[] = [],
): readonly string[] => [...allowedTools, ...wholeTools, ...commandTools]

/** The tools a session may use, by name. */
export function toolsOf(
  tools: readonly Tool[],
  { allowedTools, kind }: Session,
  {
    task,
    groups = {},
    hasBuiltInTools = true,
  }: Pick<TurnInput, 'task' | 'hasBuiltInTools'> & {
    groups?: GroupSwitches
  } = {},
  commandTools: readonly string[] = [],
): Tool[] {
  // an empty list means no limit; a command can only narrow what the session may use
  const isAllowed = (list: readonly string[] | undefined, name: string) =>
    !list?.length || list.includes(name)
  const facts = { kind, isTask: task !== undefined, outputSchema: task?.outputSchema }
  return (
    tools
      .flatMap((tool) => (tool.forTurn ? (tool.forTurn(facts) ?? []) : tool))
      // a result can always be submitted: a list of tools must not make a task fail
      .filter(
        ({ name, endsTurn }) => endsTurn || (isAllowed(allowedTools, name) && isAllowed(commandTools, name)),
      )
      .filter(({ endsTurn }) => endsTurn || hasBuiltInTools)
      .filter(({ group, endsTurn }) => endsTurn || groups[group as keyof GroupSwitches] !== false)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  )
}
