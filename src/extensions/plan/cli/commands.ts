import type { Command } from 'commander'
import type { Plan, PlanTree, PlanVersion } from '../protocol/plan.ts'
import type { TreeNode } from '../protocol/plan-node.ts'
import {
  formatTable,
  printAnswer,
  printJson,
  printProgress,
  printWhole,
} from '../../../core/command-line/output.ts'
import { addNodeCommands } from './node-commands.ts'
import { describeEvidence } from './progress.ts'
import { requirePlan, toNodeNumber } from './find-plan.ts'
import { addRunCommands } from './run-commands.ts'
import type { Api, CommandContext, Options } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'
import { readText } from '../../../core/command-line/read-text.ts'
import type { Plans } from '../operations.ts'

declare module '../../../core/command-line/command-group.ts' {
  interface Api {
    plans: Plans
  }
}

export function addCommands(plans: Command, context: CommandContext): void {
  plans
    .description('trees of work: write, edit, execute and talk about them; a plan by its id or its title')
    .option('--url <url>', 'of a running server; without it the local store is used')
    .option('--scope <name>', 'the workspace (default)')
  addPlanCommands(plans, context)
  addNodeCommands(plans, context)
  addRunCommands(plans, context)
}

interface CreateOptions extends Options {
  from?: string
  description?: string
}

interface ShowOptions extends Options {
  tree?: boolean
  depth?: string
}

interface ImportOptions extends Options {
  parent?: string
  baseVersion?: string
}

function addPlanCommands(plans: Command, { run }: CommandContext): void {
  withPage(plans.command('list'))
    .description('last changed first')
    .option('--q <text>', 'a part of the title')
    .action((_options, command: Command) => run<Options & { q?: string }>(command, list))

  plans
    .command('create <title>')
    .description('create a plan; its id goes to stdout')
    .option('--from <file.md>', 'a list in Markdown that becomes its nodes ("-": stdin)')
    .option('--description <text>', 'its purpose')
    .action((title: string, _options, command: Command) =>
      run<CreateOptions>(command, (api, options) => create(api, title, options)),
    )

  plans
    .command('show <plan>')
    .description('its nodes, one per line')
    .option('--tree', 'all nodes with their instructions and checks')
    .option('--depth <levels>', 'how many levels below the top')
    .action((name: string, _options, command: Command) =>
      run<ShowOptions>(command, (api, options) => show(api, name, options)),
    )

  plans
    .command('export <plan>')
    .description('as a list of tasks in Markdown')
    .action((name: string, _options, command: Command) =>
      run(command, async ({ plans: api }, options) => {
        const { id } = await requirePlan(api, name, options)
        const exported = await api.markdown(id, { scope: options.scope })
        if (options.json) printJson(exported)
        else printWhole(exported.markdown)
      }),
    )

  plans
    .command('import <plan> <file.md>')
    .description('append the items of a list in Markdown ("-": stdin)')
    .option('--parent <node>', 'below this node')
    .option('--base-version <number>', 'refused when the plan was changed since')
    .action((name: string, file: string, _options, command: Command) =>
      run<ImportOptions>(command, (api, options) => importFile(api, name, file, options)),
    )

  plans
    .command('results <plan>')
    .description('the results of its nodes')
    .option('--all', 'also nodes without a result')
    .action((name: string, _options, command: Command) =>
      run<Options & { all?: boolean }>(command, (api, options) => results(api, name, options)),
    )

  withPage(plans.command('versions <plan>'))
    .description('its changes and who made them, newest first')
    .action((name: string, _options, command: Command) =>
      run(command, (api, options) => versions(api, name, options)),
    )

  plans
    .command('undo <plan> [version]')
    .description('undo the last change, or that of a version')
    .action((name: string, version: string | undefined, _options, command: Command) =>
      run(command, async ({ plans: api }, options) => {
        const { id } = await requirePlan(api, name, options)
        const undone = await api.undo(id, {
          scope: options.scope,
          version: version === undefined ? undefined : toCount('<version>', version),
        })
        if (options.json) return printJson(undone)
        printProgress(`version ${undone.version}: changed ${undone.nodeIds.slice(0, 20).join(', ')}`)
      }),
    )
}

async function list({ plans }: Api, options: Options & { q?: string }): Promise<void> {
  const { scope, q, limit, cursor, json } = options
  const page = await plans.list({ scope, q, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no plans')
  const rows = page.items.map((plan) => [plan.id, plan.title, describeState(plan), plan.updatedAt])
  printAnswer(formatTable(['id', 'title', 'nodes', 'changed'], rows))
  printMore(page.nextCursor)
}

/** Such as `7 (4 pending, 3 completed), running`. */
function describeState({ nodeCount, counts, activeRunId }: Plan): string {
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  const summary = parts.length > 0 ? `${nodeCount} (${parts.join(', ')})` : String(nodeCount)
  return activeRunId === undefined ? summary : `${summary}, running`
}

async function create({ plans }: Api, title: string, options: CreateOptions): Promise<void> {
  const { scope, from, description, json } = options
  const markdown = from === undefined ? undefined : await readText(from)
  const plan = await plans.create({ scope, title, description, markdown })
  if (json) return printJson(plan)
  printAnswer(plan.id)
  printProgress(`${plan.title}: ${plan.nodeCount} nodes`)
}

// as much as an outline has room for
const most = { maxDepth: 100, maxNodes: 2_000 }

async function show({ plans }: Api, name: string, options: ShowOptions): Promise<void> {
  const { scope, tree, depth, json } = options
  const plan = await requirePlan(plans, name, options)
  const maxDepth = depth === undefined ? undefined : toNodeNumber('--depth', depth, 0)
  if (tree) {
    const whole = await plans.tree(plan.id, { scope, maxDepth })
    if (json) printJson(whole)
    else printAnswer(describeTree(whole))
    return
  }
  const { outline } = await plans.outline(plan.id, {
    scope,
    ...most,
    ...(maxDepth !== undefined && { maxDepth }),
  })
  if (json) printJson({ ...plan, outline })
  else printAnswer(outline)
}

const describeTree = ({ plan, nodes }: PlanTree): string =>
  [`Plan ${plan.id}: ${plan.title}`, `version ${plan.version}, nodes: ${describeState(plan)}`]
    .concat(plan.description === '' ? [] : [plan.description])
    .concat(nodes.flatMap(describeNode))
    .join('\n')

function describeNode(node: TreeNode): string[] {
  const { id, depth, name, status, reason, stale, dependencies, acceptance = [], instruction } = node
  const indent = '  '.repeat(depth)
  const head = [
    `${indent}- [${id}] ${name} (${status})`,
    stale ? ` (stale because of ${stale.join(', ')})` : '',
    dependencies.length > 0 ? ` (after ${dependencies.join(', ')})` : '',
    reason === undefined ? '' : `: ${reason}`,
  ].join('')
  const below = [...acceptance.map((check) => `accept: ${check}`), ...instruction.split('\n')]
  return [head, ...below.filter((line) => line.trim() !== '').map((line) => `${indent}    ${line}`)]
}

async function importFile({ plans }: Api, name: string, file: string, options: ImportOptions): Promise<void> {
  const { scope, parent, baseVersion, json } = options
  const { id } = await requirePlan(plans, name, options)
  const changed = await plans.importMarkdown(id, {
    scope,
    markdown: await readText(file),
    parentId: parent === undefined ? undefined : toNodeNumber('--parent', parent, 0),
    baseVersion: baseVersion === undefined ? undefined : toNodeNumber('--base-version', baseVersion, 0),
  })
  if (json) printJson(changed)
  else printProgress(`version ${changed.version}: added ${changed.nodeIds.length} nodes`)
}

async function results({ plans }: Api, name: string, options: Options & { all?: boolean }): Promise<void> {
  const { scope, all, json } = options
  const { id } = await requirePlan(plans, name, options)
  const found = await plans.results(id, { scope, all })
  if (json) return printJson(found)
  if (found.items.length === 0) return printProgress('no results')
  for (const { nodeId, name: title, status, reason, result } of found.items) {
    printAnswer(`[${nodeId}] ${title} (${status})${reason === undefined ? '' : `: ${reason}`}`)
    const text = result?.error ?? result?.output ?? ''
    if (text !== '') printAnswer(text.replaceAll(/^/gm, '    '))
    for (const line of describeEvidence(result)) printAnswer(`    ${line}`)
  }
  if (found.cost !== undefined) printProgress(`cost ${found.cost}`)
}

async function versions({ plans }: Api, name: string, options: Options): Promise<void> {
  const { scope, limit, cursor, json } = options
  const { id } = await requirePlan(plans, name, options)
  const page = await plans.versions(id, { scope, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no versions')
  const rows = page.items.map(({ version, action, undoes, author, nodes, createdAt }) => [
    String(version),
    undoes === undefined ? action : `${action} ${undoes}`,
    author,
    describeChanges(nodes),
    createdAt,
  ])
  printAnswer(formatTable(['version', 'change', 'by', 'nodes', 'when'], rows))
  printMore(page.nextCursor)
}

const mostNodes = 5

/** Such as `added 4, 5, changed 2`. */
const describeChanges = (nodes: PlanVersion['nodes']): string =>
  nodes
    .slice(0, mostNodes)
    .map(({ change, id }, index) => (nodes[index - 1]?.change === change ? String(id) : `${change} ${id}`))
    .concat(nodes.length > mostNodes ? ['…'] : [])
    .join(', ')
