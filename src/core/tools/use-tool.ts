/**
 * The one tool through which a model reaches those that it is offered by a line each: with a name it answers what that tool
 * takes, with arguments too it calls the tool. Its description lists them, and is the same whatever a model has asked of
 * it: what a provider has cached stays valid.
 */
import { z } from 'zod'
import { estimateTokens } from '../shared/estimate-tokens.ts'
import { useToolName } from './call-through.ts'
import { inputSchemaOf } from './tool-schemas.ts'
import { defineTool, type Tool } from './tool.ts'

const inputSchema = z.strictObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
})

const introduction =
  'Describes and calls the tools below. With "name" alone it answers what that tool does and takes; with "arguments" too it calls it.'

/** Not run for a call with arguments: that one becomes a call of the tool that it names (`readCallThrough`). */
export function createUseTool(listed: readonly Tool[]): Tool {
  return defineTool({
    name: useToolName,
    offered: 'whole',
    description: [introduction, ...listLines(listed)].join('\n'),
    input: inputSchema,
    isIdempotent: true,
    access: ({ name }) => ({ action: 'describe', effect: 'read', resources: [name] }),
    async execute({ name }) {
      const tool = listed.find((known) => known.name === name)
      if (tool) return { name, description: tool.description, inputSchema: inputSchemaOf(tool) }
      const found = findTools(listed, name)
      if (found.length === 0) throw new Error(describeUnknown(name, listed))
      return [`None is named "${name}". With these words there are:`, ...found.map(lineOf)].join('\n')
    },
  })
}

const maxNames = 40

/** For a model that named a tool which it does not have. */
export function describeUnknown(name: string, tools: readonly Tool[]): string {
  const close = tools.length > maxNames ? findTools(tools, name) : []
  const names = (close.length > 0 ? close : tools).map((tool) => tool.name)
  const list = names.slice(0, maxNames).join(', ') + (names.length > maxNames ? ' and others' : '')
  return `There is no tool "${name}". ${close.length > 0 ? 'Close to it' : 'Tools'}: ${list || 'none'}.`
}

const maxFound = 20

/** Those whose names or descriptions have most of the words. */
function findTools(tools: readonly Tool[], query: string): Tool[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const countHits = ({ name, description }: Tool) => {
    const text = `${name} ${description}`.toLowerCase()
    return words.filter((word) => text.includes(word)).length
  }
  return tools
    .map((tool) => ({ tool, hits: countHits(tool) }))
    .filter(({ hits }) => hits > 0)
    .sort((one, two) => two.hits - one.hits)
    .slice(0, maxFound)
    .map(({ tool }) => tool)
}

// of tools that are listed because they are many; more than that, and they have only their names
const maxLinesTokens = 2_500

function listLines(listed: readonly Tool[]): string[] {
  const many = listed.filter(({ offered }) => offered !== 'line')
  if (estimateTokens(many.map(lineOf).join('\n')) <= maxLinesTokens) return listed.map(lineOf)
  const names: string[] = []
  let tokens = 0
  for (const { name } of many) {
    tokens += estimateTokens(`${name}, `)
    if (tokens > maxLinesTokens) break
    names.push(name)
  }
  const left = many.length - names.length
  const more = left > 0 ? ` and ${left} more: words of what you need as "name" find them` : ''
  return [
    ...listed.filter(({ offered }) => offered === 'line').map(lineOf),
    `By name alone: ${names.join(', ')}${more}`,
  ]
}

const lineOf = ({ name, description }: Tool): string => `- ${name}: ${firstSentence(description)}`

// the whole of a longer one comes with the description
const maxLine = 120

function firstSentence(description: string): string {
  const [line = ''] = description.trim().split('\n')
  const sentence = /^.{10,}?[.!?](?=\s|$)/.exec(line)?.[0] ?? line
  return sentence.length > maxLine ? `${sentence.slice(0, maxLine).toWellFormed()}…` : sentence
}
