import type { Crons, EventHooks } from '../operations.ts'
import { type Command, Option } from 'commander'
import { type Cron, type CronFire, cronStatuses } from '../protocol/cron.ts'
import { invalidRequest } from '../../../core/protocol/error.ts'
import type { CommandContext, Options as SharedOptions } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'
import { type FieldOptions, readFields, withFields } from './cron-fields.ts'
import { addEventHookCommands } from './event-hook-commands.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'

interface Options extends SharedOptions, FieldOptions {
  status?: Cron['status']
  count?: string
}

declare module '../../../core/command-line/command-group.ts' {
  interface Api {
    crons: Crons
    eventHooks: EventHooks
  }
}

export function addCommands(cron: Command, context: CommandContext): void {
  const run = (command: Command, work: (crons: Crons, options: Options) => Promise<void>) =>
    context.run<Options>(command, ({ crons }, options) => work(crons, options))

  cron
    .description('prompts that start background sessions by time: list, add, change, fire and inspect them')
    .option('--url <url>', 'of a running server; without it the local store is used')
    .option('--scope <name>', 'the workspace (default)')

  withPage(
    cron
      .command('list')
      .description('newest first')
      .addOption(new Option('--status <status>').choices(cronStatuses)),
  ).action((_options, command: Command) => run(command, list))

  withFields(cron.command('add <schedule> <prompt>'))
    .description(
      'a cron line ("0 9 * * MON-FRI"), @daily, or once:2026-11-15T08:30:00; the prompt "-" reads stdin',
    )
    .action((schedule: string, prompt: string, _options, command: Command) =>
      run(command, async (crons, options) => {
        const fields = await readFields({ ...options, prompt })
        printCron(
          await crons.create({ scope: options.scope, schedule, ...fields, prompt: fields.prompt ?? '' }),
          options,
        )
      }),
    )

  cron
    .command('show <id>')
    .description('the cron, and how its newest fires went')
    .option('--limit <number>', 'how many fires', '10')
    .action((id: string, _options, command: Command) =>
      run(command, (crons, options) => show(crons, id, options)),
    )

  withFields(cron.command('edit <id>'))
    .description('change the given fields; a new schedule or zone applies from now on')
    .option('--schedule <line>')
    .option('--prompt <text>', 'or "-" for stdin')
    .action((id: string, _options, command: Command) =>
      run(command, async (crons, options) => {
        const fields = await readFields(options)
        if (Object.values(fields).every((value) => value === undefined))
          throw invalidRequest('Nothing to change; "parley cron edit --help" shows what can be.')
        printCron(await crons.update(id, { scope: options.scope, ...fields }), options)
      }),
    )

  for (const [verb, description] of [
    ['pause', 'no more fires; running sessions are not stopped'],
    ['resume', 'resume from now, with the count of failures reset'],
  ] as const)
    cron
      .command(`${verb} <id>`)
      .description(description)
      .action((id: string, _options, command: Command) =>
        run(command, async (crons, options) =>
          printCron(await crons[verb](id, { scope: options.scope }), options),
        ),
      )

  cron
    .command('trigger <id>')
    .description('fire it now, regardless of its schedule; a server executes the session')
    .action((id: string, _options, command: Command) =>
      run(command, async (crons, { scope, json }) => {
        const fire = await crons.trigger(id, { scope })
        if (json) printJson(fire)
        else printAnswer(`${fire.outcome}${fire.sessionId === undefined ? '' : `: ${fire.sessionId}`}`)
      }),
    )

  cron
    .command('rm <id>')
    .description('delete it with its fires; the sessions that they started stay')
    .action((id: string, _options, command: Command) =>
      run(command, async (crons, { scope, json }) => {
        await crons.delete(id, { scope })
        if (json) printJson({ id, deleted: true })
        else printProgress(`deleted ${id}`)
      }),
    )

  cron
    .command('preview <schedule>')
    .description('when it would fire, on the clocks of its zone')
    .option('--time-zone <name>', 'of the IANA database, e.g. Europe/Berlin (UTC)')
    .option('--count <number>', 'how many', '5')
    .action((schedule: string, _options, command: Command) =>
      run(command, (crons, options) => preview(crons, schedule, options)),
    )

  withPage(cron.command('fires <id>'))
    .description('what was fired, and why a time was not; newest first')
    .action((id: string, _options, command: Command) =>
      run(command, (crons, options) => fires(crons, id, options)),
    )

  addEventHookCommands(cron, context)
}

async function list(crons: Crons, { scope, status, limit, cursor, json }: Options): Promise<void> {
  const page = await crons.list({ scope, status, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no crons')
  const rows = page.items.map((cron) => [
    cron.id,
    cron.name,
    cron.schedule,
    cron.timeZone,
    cron.status,
    cron.nextFireAt ?? '',
  ])
  printAnswer(formatTable(['id', 'name', 'schedule', 'zone', 'status', 'next'], rows))
  printMore(page.nextCursor)
}

async function show(crons: Crons, id: string, options: Options): Promise<void> {
  const cron = await crons.get(id, { scope: options.scope })
  const { items } = await crons.fires(id, { scope: options.scope, limit: toCount('--limit', options.limit) })
  if (options.json) return printJson({ ...cron, fires: items })
  printCron(cron, options)
  printAnswer(
    `missed: ${cron.missed}, overlap: ${cron.overlap}, failures: ${cron.failures} of ${cron.maxFailures || '∞'}`,
  )
  printAnswer(`\n${cron.prompt}`)
  if (items.length > 0) printAnswer(['\n', tableOf(items)])
}

async function fires(crons: Crons, id: string, { scope, limit, cursor, json }: Options): Promise<void> {
  const page = await crons.fires(id, { scope, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no fires')
  printAnswer(tableOf(page.items))
  printMore(page.nextCursor)
}

async function preview(crons: Crons, schedule: string, options: Options): Promise<void> {
  const { scope, timeZone, count, json } = options
  const answer = await crons.preview({ scope, schedule, timeZone, count: toCount('--count', count) })
  if (json) return printJson(answer)
  if (answer.items.length === 0) return printProgress('it does not fire any more')
  for (const { local, shifted } of answer.items)
    printAnswer(`${local}${shifted ? '  (clocks have changed)' : ''}`)
}

function printCron(cron: Cron, { json }: Options): void {
  if (json) return printJson(cron)
  const when = cron.nextFireAt === undefined ? '' : `, next ${cron.nextFireAt}`
  const why = cron.reason === undefined ? '' : `: ${cron.reason}`
  printAnswer(`${cron.id}  ${cron.name}  ${cron.schedule} (${cron.timeZone})  ${cron.status}${when}${why}`)
}

const tableOf = (items: CronFire[]) =>
  formatTable(
    ['time', 'cause', 'outcome', 'session', 'why'],
    items.map(({ fireAt, cause, outcome, times, sessionId, reason }) => [
      fireAt,
      cause,
      times > 1 ? `${outcome} × ${times}` : outcome,
      sessionId ?? '',
      reason ?? '',
    ]),
  )
