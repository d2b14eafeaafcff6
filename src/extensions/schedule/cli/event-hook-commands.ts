import type { EventHooks } from '../operations.ts'
import type { Command } from 'commander'
import type { CreateEventHook, EventHook } from '../protocol/event-hook.ts'
import type { CommandContext, Options as SharedOptions } from '../../../core/command-line/command-group.ts'
import {
  parseObject,
  printMore,
  toCount,
  toNumber,
  withPage,
} from '../../../core/command-line/option-values.ts'
import { readTaskFields, type TaskOptions, withTaskFields } from './cron-fields.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'

interface Options extends SharedOptions, TaskOptions {
  filter?: string
  maxPerHour?: string
}

/** A part of `parley cron`, whose `--url` and `--scope` apply here too. */
export function addEventHookCommands(cron: Command, context: CommandContext): void {
  const run = (command: Command, work: (api: EventHooks, options: Options) => Promise<void>) =>
    context.run<Options>(command, ({ eventHooks }, options) => work(eventHooks, options))

  const hooks = cron
    .command('hooks')
    .description(
      'prompts that start background sessions when something happens: list, create, show, pause and remove them',
    )

  withPage(hooks.command('list'))
    .description('newest first')
    .action((_options, command: Command) => run(command, list))

  withTaskFields(hooks.command('create <event> <prompt>'))
    .description('for "bg:session.failed", or for "bg:session.*"; the prompt "-" reads stdin')
    .option('--filter <json>', 'an object of fields that the event must have: sessionId, label, or its data')
    .option('--max-per-hour <number>', 'events over so many starts in an hour are left out (60)')
    .action((event: string, prompt: string, _options, command: Command) =>
      run(command, (api, options) => create(api, event, { ...options, prompt })),
    )

  hooks
    .command('show <id>')
    .description('its event, its prompt, and how often it has started')
    .action((id: string, _options, command: Command) =>
      run(command, (api, options) => show(api, id, options)),
    )

  for (const [verb, status, description] of [
    ['pause', 'paused', 'no more starts; running sessions are not stopped'],
    ['resume', 'active', 'resume, with events from now on'],
  ] as const)
    hooks
      .command(`${verb} <id>`)
      .description(description)
      .action((id: string, _options, command: Command) =>
        run(command, async (api, options) =>
          printHook(await api.update(id, { scope: options.scope, status }), options),
        ),
      )

  hooks
    .command('remove <id>')
    .description('delete it; the sessions that it started stay')
    .action((id: string, _options, command: Command) =>
      run(command, async (api, { scope, json }) => {
        await api.delete(id, { scope })
        if (json) printJson({ id, deleted: true })
        else printProgress(`deleted ${id}`)
      }),
    )
}

async function list(api: EventHooks, { scope, limit, cursor, json }: Options): Promise<void> {
  const page = await api.list({ scope, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no event hooks')
  const rows = page.items.map(({ id, name, event, status, starts, lastStartedAt }) => [
    id,
    name,
    event,
    status,
    String(starts),
    lastStartedAt ?? '',
  ])
  printAnswer(formatTable(['id', 'name', 'event', 'status', 'starts', 'last'], rows))
  printMore(page.nextCursor)
}

async function create(api: EventHooks, event: string, options: Options): Promise<void> {
  const fields = await readTaskFields(options)
  const hook = await api.create({
    scope: options.scope,
    event,
    // its values are validated by the operation
    filter: parseObject('--filter', options.filter) as CreateEventHook['filter'],
    maxPerHour: toNumber('--max-per-hour', options.maxPerHour),
    ...fields,
    prompt: fields.prompt ?? '',
  })
  printHook(hook, options)
}

async function show(api: EventHooks, id: string, options: Options): Promise<void> {
  const hook = await api.get(id, { scope: options.scope })
  printHook(hook, options)
  if (options.json) return
  const { filter, starts, skipped, maxPerHour, prompt } = hook
  printAnswer(`starts: ${starts}, left out: ${skipped}, at most ${maxPerHour} an hour`)
  if (Object.keys(filter).length > 0) printAnswer(`filter: ${JSON.stringify(filter)}`)
  printAnswer(`\n${prompt}`)
}

function printHook(hook: EventHook, { json }: Options): void {
  if (json) return printJson(hook)
  const why = hook.reason === undefined ? '' : `: ${hook.reason}`
  printAnswer(`${hook.id}  ${hook.name}  ${hook.event}  ${hook.status}${why}`)
}
