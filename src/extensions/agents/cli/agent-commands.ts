import type { Agents } from '../agent-operations.ts'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { readAgentMatter } from '../agent-matter.ts'
import { type Agent, type CreateAgent, type UpdateAgent, updateAgentSchema } from '../protocol/agent.ts'
import { invalidRequest, ParleyError } from '../../../core/protocol/error.ts'
import { createLabels } from './agent-colors.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { joinLines, type Shown } from '../../../core/command-line/printable.ts'
import type { CommandContext, Options } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'
import { readText } from '../../../core/command-line/read-text.ts'

declare module '../../../core/command-line/command-group.ts' {
  interface Api {
    agents: Agents
  }
}

/** Below the commands of rooms, which agents are in. */
export function addAgentCommands(rooms: Command, { run }: CommandContext): void {
  const agents = rooms
    .command('agents')
    .description('list, show, save and delete the agents that rooms can use')

  withPage(agents.command('list'))
    .description('by name: stored ones, those from files, those that come with Parley')
    .action((_options, command: Command) =>
      run(command, async ({ agents: api }, { scope, limit, cursor, json }) => {
        const page = await api.list({ scope, limit: toCount('--limit', limit), cursor })
        if (json) return printJson(page)
        const label = createLabels(page.items)
        const rows = page.items.map((agent) => [
          agent.name,
          label(agent.name),
          (agent.nicknames ?? []).join(', '),
          agent.model ?? '',
          agent.source,
        ])
        printAnswer(formatTable(['name', 'shown as', 'nicknames', 'model', 'from'], rows))
        for (const { path, message } of page.problems) printProgress(`parley: ${path}: ${message}`)
        printMore(page.nextCursor)
      }),
    )

  agents.command('show <name>').action((name: string, _options, command: Command) =>
    run(command, async ({ agents: api }, { scope, json }) => {
      const agent = await api.get(name, { scope })
      if (json) printJson(agent)
      else printAnswer(describeAgent(agent))
    }),
  )

  agents
    .command('save <file.md>')
    .description('store the agent of a file ("-": stdin) in the scope; replaces a stored agent of that name')
    .option('--name <name>', 'its name; default the one in the file, or the name of the file')
    .action((file: string, _options, command: Command) =>
      run<Options & { name?: string }>(command, async ({ agents: api }, { scope, name, json }) => {
        const agent = readAgent(await readText(file), file)
        const saved = await save(api, { ...agent, name: name ?? agent.name, scope })
        if (json) printJson(saved)
        else printAnswer(saved.name)
      }),
    )

  agents
    .command('delete <name>')
    .description('delete a stored agent; rooms continue without it')
    .action((name: string, _options, command: Command) =>
      run(command, async ({ agents: api }, { scope, json }) => {
        await api.delete(name, { scope })
        if (json) printJson({ name, deleted: true })
        else printProgress(`deleted ${name}`)
      }),
    )
}

/** Unlike in a folder that is read by itself, somebody is there to mend what is wrong. */
function readAgent(text: string, file: string): CreateAgent {
  const { agent, faults } = readAgentMatter(text, basename(file, '.md'), { isForeign: false })
  if (faults.length > 0) throw invalidRequest(`${file} ${faults.join('; ')}.`)
  if (!agent) throw invalidRequest(`${file} says that it is switched off.`)
  return agent
}

async function save(api: Agents, agent: CreateAgent): Promise<Agent> {
  const { scope, name } = agent
  const known = await find(api, name, scope)
  return known?.source === 'stored' ? api.update(known.name, toReplacement(agent)) : api.create(agent)
}

const find = (api: Agents, name: string, scope: string | undefined): Promise<Agent | undefined> =>
  api.get(name, { scope }).catch((error: unknown) => {
    if (error instanceof ParleyError && error.code === 'not_found') return undefined
    throw error
  })

/** What the file does not say is taken away. */
function toReplacement({ name: _, scope, ...fields }: CreateAgent): UpdateAgent {
  const { scope: __, ...known } = updateAgentSchema.shape
  const none = Object.fromEntries(Object.keys(known).map((key) => [key, null]))
  return { scope, ...none, ...fields }
}

function describeAgent(agent: Agent): Shown {
  const {
    name,
    description,
    nicknames = [],
    aliases = [],
    model,
    tools,
    limits,
    source,
    path,
    persona,
  } = agent
  const called = [...new Set([...nicknames, ...aliases])]
  const lines = [
    [createLabels([agent])(name), ` @${name}`],
    description !== undefined && description.trimEnd(),
    called.length > 0 && `Called ${called.join(', ')}`,
    model !== undefined && `Model ${model}`,
    tools && `Tools: ${tools.join(', ') || 'none'}`,
    limits && `Limits: ${JSON.stringify(limits)}`,
    `From ${path ?? source}`,
    persona !== undefined && `\n${persona.trimEnd()}`,
  ]
  return joinLines(lines.filter((line) => line !== false && line !== undefined))
}
