/**
 * How the tools of a turn are offered: whole, or by a line each in the description of `use_tool`. It depends on the tools
 * and on what the session names, never on what was called: the list that a provider has cached does not move.
 */
import type { ToolSpec } from '../models/adapter.ts'
import { estimateTokens } from '../shared/estimate-tokens.ts'
import { inputSchemaOf } from '../tools/tool-schemas.ts'
import type { Tool } from '../tools/tool.ts'
import { createUseTool } from '../tools/use-tool.ts'

export interface OfferedTools {
  /** What a provider is sent, by name: the order is part of what it caches. */
  specs: readonly ToolSpec[]
  /** All that can be called, however they are offered. */
  tools: readonly Tool[]
  /** The names of those that are offered by a line. */
  listed: readonly string[]
}

export const noTools: OfferedTools = { specs: [], tools: [], listed: [] }

export interface OfferRules {
  /** Those that the session, its type or a command names are offered whole. */
  named: readonly string[]
  /** How much the model sees at most. */
  windowTokens: number
}

export function offerTools(tools: readonly Tool[], { named, windowTokens }: OfferRules): OfferedTools {
  const crowded = findCrowded(tools, groupLimit(windowTokens))
  const isListed = ({ name, group, offered, endsTurn }: Tool) =>
    !endsTurn &&
    !named.includes(name) &&
    (offered === 'line' || (offered === undefined && crowded.has(group)))
  const listed = tools.filter(isListed)
  // a call through another tool is worth it where lines save half at least
  const isWorthIt = listed.length > 0 && 2 * sumSizes([useToolFor(listed)]) < sumSizes(listed)
  return isWorthIt
    ? offerAs(
        tools.filter((tool) => !isListed(tool)),
        listed,
      )
    : offerAs(tools, [])
}

const groupShare = 0.1
const maxGroupTokens = 4_000

/** What the tools of one group may take of a prompt together, where they leave open how they are offered. */
export const groupLimit = (windowTokens: number): number =>
  Math.min(maxGroupTokens, windowTokens * groupShare)

/** The groups that take more. */
function findCrowded(tools: readonly Tool[], limit: number): Set<string | undefined> {
  const open = tools.filter(({ offered }) => offered === undefined)
  const groups = new Set(open.map(({ group }) => group))
  return new Set([...groups].filter((name) => sumSizes(open.filter(({ group }) => group === name)) > limit))
}

export function offerAs(whole: readonly Tool[], byLine: readonly Tool[]): OfferedTools {
  const shown = (byLine.length === 0 ? [...whole] : [...whole, useToolFor(byLine)]).sort(byName)
  return {
    specs: keepList(toSpecs(shown)),
    tools: [...shown, ...byLine].sort(byName),
    listed: byLine.map(({ name }) => name),
  }
}

const byName = (one: Tool, two: Tool) => (one.name < two.name ? -1 : 1)

/** Those for the lists that begin with a tool: they go with it. */
const useTools = new WeakMap<Tool, { byLine: readonly Tool[]; useTool: Tool }[]>()
const maxUseTools = 10

/** The same tool for the same list. */
function useToolFor(byLine: readonly Tool[]): Tool {
  const first = byLine[0]!
  const made = useTools.get(first) ?? []
  const known = made.find((one) => isSame(one.byLine, byLine))
  if (known) return known.useTool
  const useTool = createUseTool(byLine)
  useTools.set(first, [{ byLine, useTool }, ...made].slice(0, maxUseTools))
  return useTool
}

const isSame = (one: readonly unknown[], two: readonly unknown[]) =>
  one.length === two.length && one.every((item, index) => item === two[index])

/** Those of the last turns. They are large, and what is made of a list is kept with it: its hash, its text for a provider. */
const lists: (readonly ToolSpec[])[] = []
const maxLists = 50

/** The same list for the same tools. */
function keepList(made: readonly ToolSpec[]): readonly ToolSpec[] {
  const known = lists.find((list) => isSame(list, made))
  if (known) return known
  lists.unshift(made)
  lists.length = Math.min(lists.length, maxLists)
  return made
}

/** One for each tool: what is made of it is kept with it. */
const specs = new WeakMap<Tool, ToolSpec>()

export const toSpecs = (tools: readonly Tool[]): readonly ToolSpec[] => tools.map(toSpec)

function toSpec(tool: Tool): ToolSpec {
  const { name, description } = tool
  let spec = specs.get(tool)
  if (!spec) specs.set(tool, (spec = { name, description, inputSchema: inputSchemaOf(tool) }))
  return spec
}

const sizes = new WeakMap<ToolSpec, number>()

/** In tokens. */
export function sizeOf(spec: ToolSpec): number {
  let size = sizes.get(spec)
  if (size === undefined) sizes.set(spec, (size = estimateTokens(JSON.stringify(spec))))
  return size
}

/** What tools take of a prompt when they are offered whole. */
export const sumSizes = (tools: readonly Tool[]) =>
  toSpecs(tools).reduce((sum, spec) => sum + sizeOf(spec), 0)
