import type { Workflows } from '../operations.ts'
import type { Command } from 'commander'
import { notFound } from '../../../core/protocol/error.ts'
import type { Workflow } from '../protocol/workflow.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import type { Api, CommandContext, Options } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'
import { readText } from '../../../core/command-line/read-text.ts'
import { findNamed, requireNamed } from './find-workflow.ts'
import { addRunCommands } from './run-commands.ts'
import { validateFiles } from './validate.ts'

declare module '../../../core/command-line/command-group.ts' {
  interface Api {
    workflows: Workflows
  }
}

export function addCommands(workflows: Command, context: CommandContext): void {
  workflows
    .description('definitions of several steps: list, save, check, run and answer them')
    .option('--url <url>', 'of a running server; without it the local store is used')
    .option('--scope <name>', 'the workspace (default)')
  addDefinitionCommands(workflows, context)
  addRunCommands(workflows, context)
}

function addDefinitionCommands(workflows: Command, context: CommandContext): void {
  const { run } = context
  withPage(workflows.command('list'))
    .description('last changed first')
    .option('--q <text>', 'a part of the name or of the description')
    .action((_options, command: Command) => run<Options & { q?: string }>(command, list))

  workflows
    .command('show <name>')
    .description('the text of a workflow, by its name or its id')
    .action((name: string, _options, command: Command) =>
      run(command, async ({ workflows: api }, options) => {
        const workflow = await requireNamed(api, name, options)
        if (options.json) printJson(workflow)
        else printAnswer(workflow.text)
      }),
    )

  workflows
    .command('save <file>')
    .description(
      'save the definition in a file ("-": stdin) as a new workflow, or as a new version of the one of that name',
    )
    .action((file: string, _options, command: Command) =>
      run(command, async ({ workflows: api }, options) =>
        printSaved(await save(api, file, options), options),
      ),
    )

  workflows
    .command('delete <name>')
    .description('delete a workflow with its versions; its runs stay')
    .action((name: string, _options, command: Command) =>
      run(command, async ({ workflows: api }, options) => {
        const { id } = await requireNamed(api, name, options)
        await api.delete(id, { scope: options.scope })
        if (options.json) printJson({ id, deleted: true })
        else printProgress(`deleted ${id}`)
      }),
    )

  workflows
    .command('validate <file...>')
    .description('every problem as file:line:column: message; needs neither a server nor a store')
    .action((files: string[], _options, command: Command) =>
      validateFiles(files, context.toolGroups, command.optsWithGlobals<Options>()),
    )

  withPage(workflows.command('versions <name>'))
    .description('its saved versions, newest first')
    .action((name: string, _options, command: Command) =>
      run(command, async ({ workflows: api }, options) => {
        const { id } = await requireNamed(api, name, options)
        const { scope, limit, cursor } = options
        const page = await api.versions(id, { scope, limit: toCount('--limit', limit), cursor })
        if (options.json) return printJson(page)
        const rows = page.items.map((item) => [
          String(item.version),
          item.cause,
          item.author,
          item.sessionId ?? '',
          item.createdAt,
        ])
        printAnswer(formatTable(['version', 'cause', 'author', 'session', 'saved'], rows))
        printMore(page.nextCursor)
      }),
    )

  workflows
    .command('rollback <name> <version>')
    .description('save the text of an older version again, as the newest')
    .action((name: string, version: string, _options, command: Command) =>
      run(command, async ({ workflows: api }, options) => {
        const { id } = await requireNamed(api, name, options)
        const number = toCount('<version>', version)
        printSaved(await api.rollback(id, { scope: options.scope, version: number }), options)
      }),
    )

  workflows
    .command('templates [name]')
    .description('definitions that come with Parley; with a name, the text of one')
    .action((name: string | undefined, _options, command: Command) =>
      run(command, async ({ workflows: api }, { json }) => {
        const { items } = await api.templates()
        if (name === undefined) {
          if (json) return printJson({ items })
          return printAnswer(
            formatTable(
              ['name', 'description'],
              items.map((item) => [item.name, item.description ?? '']),
            ),
          )
        }
        const found = items.find((item) => item.name === name)
        if (!found) throw notFound('template', name)
        if (json) printJson(found)
        else printAnswer(found.text)
      }),
    )
}

async function list({ workflows }: Api, options: Options & { q?: string }): Promise<void> {
  const { scope, q, limit, cursor, json } = options
  const page = await workflows.list({ scope, q, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no workflows')
  const rows = page.items.map((item) => [
    item.id,
    item.name,
    String(item.version),
    String(item.stepCount),
    item.triggers.join(', '),
    item.updatedAt,
  ])
  printAnswer(formatTable(['id', 'name', 'version', 'steps', 'starts by', 'changed'], rows))
  for (const { name, problem } of page.items)
    if (problem !== undefined) printProgress(`parley: ${name}: ${problem}`)
  printMore(page.nextCursor)
}

async function save(api: Workflows, file: string, { scope }: Options): Promise<Workflow> {
  const text = await readText(file)
  // problems are reported when it is stored
  const { definition } = await api.validate({ scope, text })
  const known = definition && (await findNamed(api, String(definition.name), scope))
  return known ? api.update(known.id, { scope, text }) : api.create({ scope, text })
}

function printSaved(workflow: Workflow, { json }: Options): void {
  if (json) return printJson(workflow)
  printAnswer(`${workflow.id}  ${workflow.name}  version ${workflow.version}`)
}
