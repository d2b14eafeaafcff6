import type { Command } from 'commander'
import { invalidRequest } from '../../../core/protocol/error.ts'
import type { PlanChanged } from '../protocol/plan.ts'
import type { NodeChanged, PlaceWish } from '../protocol/plan-node.ts'
import { printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { requirePlan, toNodeNumber, toNodeNumbers } from './find-plan.ts'
import { readStdin } from '../../../core/command-line/read-text.ts'
import type { Api, CommandContext, Options } from '../../../core/command-line/command-group.ts'

interface BaseOptions extends Options {
  baseVersion?: string
}

interface PlaceOptions extends BaseOptions {
  parent?: string
  position?: string
  before?: string
  after?: string
}

interface FactOptions extends BaseOptions {
  name?: string
  instruction?: string
  depends?: string
  accept?: string[]
}

export function addNodeCommands(plans: Command, { run }: CommandContext): void {
  withFacts(withPlace(withBase(plans.command('add <plan> <name>'))))
    .description('add a node, by default at the end of the plan; its number goes to stdout')
    .action((plan: string, name: string, _options, command: Command) =>
      run<FactOptions & PlaceOptions>(command, (api, options) => add(api, plan, name, options)),
    )

  withFacts(withBase(plans.command('edit <plan> <node>')))
    .description('change a node; fields that are not given stay')
    .option('--name <text>', 'its new name')
    .action((plan: string, node: string, _options, command: Command) =>
      run<FactOptions>(command, (api, options) => edit(api, plan, node, options)),
    )

  withPlace(withBase(plans.command('move <plan> <node>')))
    .description('move a node with all below it')
    .action((plan: string, node: string, _options, command: Command) =>
      run<PlaceOptions>(command, async ({ plans: api }, options) => {
        const place = requirePlace(options)
        const { id } = await requirePlan(api, plan, options)
        printChanged(await api.moveNode(id, toNodeNumber('<node>', node), place), options)
      }),
    )

  withBase(plans.command('delete <plan> [node]'))
    .description('delete a plan with its nodes and versions, or a node with all below it')
    .action((plan: string, node: string | undefined, _options, command: Command) =>
      run<BaseOptions>(command, (api, options) => remove(api, plan, node, options)),
    )

  plans
    .command('skip <plan> <node>')
    .description('skip a node with all below it: it counts as done; a running one is stopped')
    .option('--only', 'not what is below it')
    .option('--reason <text>', 'why')
    .action((plan: string, node: string, _options, command: Command) =>
      run<Options & { only?: boolean; reason?: string }>(command, async ({ plans: api }, options) => {
        const { id } = await requirePlan(api, plan, options)
        const { scope, only, reason } = options
        const wish = { scope, reason, ...(only && { subtree: false }) }
        printNodes('skipped', await api.skipNode(id, toNodeNumber('<node>', node), wish), options)
      }),
    )

  plans
    .command('stop <plan> <node>')
    .description('stop the session of a node; its run continues with what does not wait for it')
    .action((plan: string, node: string, _options, command: Command) =>
      run(command, async ({ plans: api }, options) => {
        const { id } = await requirePlan(api, plan, options)
        const stopped = await api.stopNode(id, toNodeNumber('<node>', node), { scope: options.scope })
        if (options.json) printJson(stopped)
        else printProgress(`stopping [${stopped.id}] ${stopped.name}`)
      }),
    )

  plans
    .command('message <plan> <node> <text>')
    .description('send a message to the session of a running node ("-": stdin)')
    .action((plan: string, node: string, text: string, _options, command: Command) =>
      run(command, async ({ plans: api }, options) => {
        const { id } = await requirePlan(api, plan, options)
        const content = await readText(text)
        const messaged = await api.messageNode(id, toNodeNumber('<node>', node), {
          scope: options.scope,
          content,
        })
        if (options.json) printJson(messaged)
        else printProgress(`sent to [${messaged.id}] ${messaged.name}`)
      }),
    )

  plans
    .command('done <plan> <node>')
    .description('mark a node as done by you: it is completed, and open nodes below it are skipped')
    .requiredOption('--note <text>', 'its result, which other nodes build on ("-": stdin)')
    .action((plan: string, node: string, _options, command: Command) =>
      run<Options & { note: string }>(command, async ({ plans: api }, options) => {
        const { id } = await requirePlan(api, plan, options)
        const note = await readText(options.note)
        printChanged(
          await api.doneNode(id, toNodeNumber('<node>', node), { scope: options.scope, note }),
          options,
        )
      }),
    )

  plans
    .command('reset <plan> <node>')
    .description('make a node pending again with all below it; their results are removed')
    .option('--only', 'not what is below it')
    .action((plan: string, node: string, _options, command: Command) =>
      run<Options & { only?: boolean }>(command, async ({ plans: api }, options) => {
        const { id } = await requirePlan(api, plan, options)
        const wish = { scope: options.scope, ...(options.only && { subtree: false }) }
        printNodes('reset', await api.resetNode(id, toNodeNumber('<node>', node), wish), options)
      }),
    )

  plans
    .command('accept <plan> <node>')
    .description('let a node that is partial, refused or failed count as done')
    .action((plan: string, node: string, _options, command: Command) =>
      run(command, async ({ plans: api }, options) => {
        const { id } = await requirePlan(api, plan, options)
        const accepted = await api.acceptNode(id, toNodeNumber('<node>', node), { scope: options.scope })
        if (options.json) printJson(accepted)
        else printProgress(`accepted [${accepted.id}] ${accepted.name}`)
      }),
    )
}

const withBase = (command: Command) =>
  command.option('--base-version <number>', 'refused when the plan was changed since')

const withPlace = (command: Command) =>
  command
    .option('--parent <node>', 'below this node; 0 is the top')
    .option(
      '--position <place>',
      'among the children of the parent: a number from 0, first_child or last_child',
    )
    .option('--before <node>', 'right before this one')
    .option('--after <node>', 'right after this one')

const withFacts = (command: Command) =>
  command
    .option('--instruction <text>', 'the work to do ("-": stdin)')
    .option('--depends <nodes>', 'what it waits for, such as 1,2; an empty text is nothing')
    .option('--accept <check...>', 'a check that it is done, such as file_nonempty:report.md')

async function add(
  { plans }: Api,
  plan: string,
  name: string,
  options: FactOptions & PlaceOptions,
): Promise<void> {
  const { id } = await requirePlan(plans, plan, options)
  const facts = await toFacts(options)
  const added = await plans.addNode(id, { ...toPlace(options), ...facts, name })
  if (options.json) return printJson(added)
  printAnswer(String(added.node.id))
  printProgress(`version ${added.version}`)
}

async function edit({ plans }: Api, plan: string, node: string, options: FactOptions): Promise<void> {
  const { scope, name } = options
  const facts = { name, ...(await toFacts(options)) }
  if (Object.values(facts).every((fact) => fact === undefined))
    throw invalidRequest('Say what to change: --name, --instruction, --depends or --accept.')
  const { id } = await requirePlan(plans, plan, options)
  const baseVersion = toBase(options)
  const changed = await plans.updateNode(id, toNodeNumber('<node>', node), { scope, ...facts, baseVersion })
  printChanged(changed, options)
}

async function remove(
  { plans }: Api,
  plan: string,
  node: string | undefined,
  options: BaseOptions,
): Promise<void> {
  const { scope, json } = options
  const { id } = await requirePlan(plans, plan, options)
  if (node !== undefined) {
    const nodeId = toNodeNumber('<node>', node)
    return printNodes(
      'deleted',
      await plans.deleteNode(id, nodeId, { scope, baseVersion: toBase(options) }),
      options,
    )
  }
  await plans.delete(id, { scope })
  if (json) printJson({ id, deleted: true })
  else printProgress(`deleted ${id}`)
}

function toPlace(options: PlaceOptions) {
  const { scope, parent, position, before, after } = options
  return {
    scope,
    baseVersion: toBase(options),
    parentId: parent === undefined ? undefined : toNodeNumber('--parent', parent, 0),
    position: toPosition(position),
    before: before === undefined ? undefined : toNodeNumber('--before', before),
    after: after === undefined ? undefined : toNodeNumber('--after', after),
  }
}

function requirePlace(options: PlaceOptions) {
  const { parent, position, before, after } = options
  if ((parent ?? position ?? before ?? after) === undefined)
    throw invalidRequest('Say where the node goes: --parent, --position, --before or --after.')
  return toPlace(options)
}

function toPosition(text: string | undefined): PlaceWish['position'] {
  if (text === undefined || text === 'first_child' || text === 'last_child') return text
  return toNodeNumber('--position', text, 0)
}

async function toFacts({ instruction, depends, accept }: FactOptions) {
  return {
    instruction: instruction === undefined ? undefined : await readText(instruction),
    dependencies: depends === undefined ? undefined : toNodeNumbers('--depends', depends),
    acceptance: accept?.filter((check) => check !== ''),
  }
}

const readText = async (text: string): Promise<string> =>
  text === '-' ? (await readStdin()).trimEnd() : text

const toBase = ({ baseVersion }: BaseOptions): number | undefined =>
  baseVersion === undefined ? undefined : toNodeNumber('--base-version', baseVersion, 0)

function printChanged(changed: NodeChanged, { json }: Options): void {
  if (json) printJson(changed)
  else printProgress(`version ${changed.version}: [${changed.node.id}] ${changed.node.name}`)
}

function printNodes(what: string, changed: PlanChanged, { json }: Options): void {
  if (json) printJson(changed)
  else printProgress(`version ${changed.version}: ${what} ${changed.nodeIds.join(', ')}`)
}
