import type { Webhooks } from '../operations.ts'
import type { Command } from 'commander'
import type { CreateWebhook, DeliveryListQuery, Webhook, WebhookDelivery } from '../protocol/webhook.ts'
import type { CommandContext, Options as SharedOptions } from '../../../core/command-line/command-group.ts'
import { parseObject, printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'

interface Options extends SharedOptions {
  filter?: string
  name?: string
  secret?: string
  status?: string
}

declare module '../../../core/command-line/command-group.ts' {
  interface Api {
    webhooks: Webhooks
  }
}

export function addCommands(webhooks: Command, context: CommandContext): void {
  const run = (command: Command, work: (api: Webhooks, options: Options) => Promise<void>) =>
    context.run<Options>(command, (api, options) => work(api.webhooks, options))

  webhooks
    .description('URLs that are called when something happens: create, test and pause them, list deliveries')
    .option('--url <url>', 'of a running server; without it the local store is used')
    .option('--scope <name>', 'the workspace (default)')

  withPage(webhooks.command('list'))
    .description('newest first')
    .action((_options, command: Command) => run(command, list))

  webhooks
    .command('create <event> <address>')
    .description('call the address for "bg:session.failed", or for "bg:session.*"; prints the secret once')
    .option('--name <name>', 'its name in lists (the host of the address)')
    .option('--filter <json>', 'an object of fields that the event must have: sessionId, label, or its data')
    .option('--secret <secret>', 'the secret that signs calls: whsec_ and Base64 (a new one)')
    .action((event: string, address: string, _options, command: Command) =>
      run(command, (api, options) => create(api, event, address, options)),
    )

  webhooks
    .command('show <id>')
    .description('its address, its event, and its last deliveries')
    .action((id: string, _options, command: Command) =>
      run(command, (api, options) => show(api, id, options)),
    )

  for (const [verb, status, description] of [
    ['pause', 'paused', 'call it no more'],
    ['resume', 'active', 'send what is still waiting, and what happens from now on'],
  ] as const)
    webhooks
      .command(`${verb} <id>`)
      .description(description)
      .action((id: string, _options, command: Command) =>
        run(command, async (api, options) =>
          printWebhook(await api.update(id, { scope: options.scope, status }), options),
        ),
      )

  webhooks
    .command('remove <id>')
    .description('delete it; deliveries that were waiting are not sent')
    .action((id: string, _options, command: Command) =>
      run(command, async (api, { scope, json }) => {
        await api.delete(id, { scope })
        if (json) printJson({ id, deleted: true })
        else printProgress(`deleted ${id}`)
      }),
    )

  webhooks
    .command('test <id>')
    .description('send an event of the type webhook-test')
    .action((id: string, _options, command: Command) =>
      run(command, async (api, options) =>
        printDelivery(await api.test(id, { scope: options.scope }), options),
      ),
    )

  withPage(
    webhooks
      .command('deliveries <id>')
      .description('newest first, with their outcome')
      .option('--status <status>', 'only waiting, delivered or failed ones'),
  ).action((id: string, _options, command: Command) =>
    run(command, (api, options) => listDeliveries(api, id, options)),
  )

  webhooks
    .command('retry <id> <delivery>')
    .description('send a delivered or failed delivery again')
    .action((id: string, delivery: string, _options, command: Command) =>
      run(command, async (api, options) =>
        printDelivery(await api.retry(id, delivery, { scope: options.scope }), options),
      ),
    )
}

async function list(api: Webhooks, { scope, limit, cursor, json }: Options): Promise<void> {
  const page = await api.list({ scope, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no webhooks')
  const rows = page.items.map(({ id, name, event, status, url }) => [id, name, event, status, url])
  printAnswer(formatTable(['id', 'name', 'event', 'status', 'url'], rows))
  printMore(page.nextCursor)
}

async function create(api: Webhooks, event: string, url: string, options: Options): Promise<void> {
  const webhook = await api.create({
    scope: options.scope,
    event,
    url,
    name: options.name,
    // its values are checked where it is taken in
    filter: parseObject('--filter', options.filter) as CreateWebhook['filter'],
    secret: options.secret,
  })
  printWebhook(webhook, options)
  if (!options.json) printAnswer(`secret: ${webhook.secret}`)
}

async function show(api: Webhooks, id: string, options: Options): Promise<void> {
  const webhook = await api.get(id, { scope: options.scope })
  printWebhook(webhook, options)
  if (options.json) return
  const { filter, url } = webhook
  printAnswer(`calls: ${url}`)
  if (Object.keys(filter).length > 0) printAnswer(`filter: ${JSON.stringify(filter)}`)
  await listDeliveries(api, id, { ...options, limit: '10' })
}

async function listDeliveries(api: Webhooks, id: string, options: Options): Promise<void> {
  const { scope, limit, cursor, json } = options
  // one that does not exist is refused where it is taken in
  const status = options.status as DeliveryListQuery['status']
  const page = await api.deliveries(id, { scope, limit: toCount('--limit', limit), cursor, status })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no deliveries')
  const rows = page.items.map((delivery) => [
    delivery.id,
    delivery.createdAt,
    delivery.type,
    delivery.status,
    String(delivery.attempts),
    delivery.error ?? String(delivery.answerStatus ?? ''),
  ])
  printAnswer(formatTable(['id', 'created', 'event', 'status', 'attempts', 'answer'], rows))
  printMore(page.nextCursor)
}

function printWebhook(webhook: Webhook, { json }: Options): void {
  if (json) return printJson(webhook)
  const why = webhook.reason === undefined ? '' : `: ${webhook.reason}`
  printAnswer(`${webhook.id}  ${webhook.name}  ${webhook.event}  ${webhook.status}${why}`)
}

function printDelivery(delivery: WebhookDelivery, { json }: Options): void {
  if (json) return printJson(delivery)
  printAnswer(`${delivery.id}  ${delivery.type}  ${delivery.status}`)
}
