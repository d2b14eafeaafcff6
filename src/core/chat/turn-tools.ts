import type { ToolSpec } from '../models/adapter.ts'
import type { GroupSwitches } from '../protocol/permission.ts'
import type { Session } from '../protocol/session.ts'
import type { EffectiveWindow } from '../sessions/window/window-settings.ts'
import { inputSchemaOf } from '../tools/tool-schemas.ts'
import type { Tool } from '../tools/tool.ts'
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
  window: WindowSize,
): Promise<readonly Tool[]> {
  if (toolSources.length === 0) return tools
  const windowTokens = windowTokensOf(window)
  const more = await Promise.all(toolSources.map((read) => read(session, input, windowTokens)))
  return [...tools, ...more.flat()]
}

type WindowSize = Pick<EffectiveWindow, 'maxTokens' | 'maxChars'>

export const windowTokensOf = ({ maxTokens, maxChars }: WindowSize): number =>
  maxTokens || maxChars / charsPerToken || unlimitedTokens

/** The tools a session may use, by name: the order is part of what a provider caches. */
export function toolsOf(
  tools: readonly Tool[],
  { allowedTools, kind }: Session,
  { task, groups = {} }: Pick<TurnInput, 'task'> & { groups?: GroupSwitches } = {},
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
      .filter(({ group, endsTurn }) => endsTurn || groups[group as keyof GroupSwitches] !== false)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  )
}

/** One for each tool: what is made of it is kept with it. */
const specs = new WeakMap<Tool, ToolSpec>()

/** Those of the last turns. They are large, and what is made of a list is kept with it: its hash, its text for a provider. */
const lists: (readonly ToolSpec[])[] = []
const maxLists = 50

/** The same list for the same tools. */
export function toSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  const made = tools.map((tool) => {
    let spec = specs.get(tool)
    if (!spec) specs.set(tool, (spec = toSpec(tool)))
    return spec
  })
  const isSame = (list: readonly ToolSpec[]) =>
    list.length === made.length && list.every((spec, index) => spec === made[index])
  const known = lists.find(isSame)
  if (known) return known
  lists.unshift(made)
  lists.length = Math.min(lists.length, maxLists)
  return made
}

const toSpec = (tool: Tool): ToolSpec => ({
  name: tool.name,
  description: tool.description,
  inputSchema: inputSchemaOf(tool),
})
