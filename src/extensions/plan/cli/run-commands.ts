import type { Command } from 'commander'
import { invalidRequest } from '../../../core/protocol/error.ts'
import type { PlanRun } from '../protocol/plan-run.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { requirePlan, toNodeNumber } from './find-plan.ts'
import { runExitCodes } from '../../../core/command-line/exit-codes.ts'
import { describeStep, follow } from './progress.ts'
import type { Api, CommandContext, Options } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'

interface WaitOptions extends Options {
  wait?: boolean
  model?: string
}

interface RunOptions extends WaitOptions {
  node?: string
  only?: boolean
  withDependencies?: boolean
  rerun?: boolean
  stopOnFailure?: boolean
  parallel?: string
  maxTokens?: string
  maxCost?: string
}

interface DecomposeOptions extends WaitOptions {
  node?: string
  depth?: string
  budget?: string
  allowExistingChildren?: boolean
}

export function addRunCommands(plans: Command, { run, talk }: CommandContext): void {
  withWait(plans.command('run <plan>'))
    .description('execute the plan; the id of the run goes to stdout')
    .option('--node <number>', 'this node and all below it')
    .option('--only', 'with --node: not what is below it')
    .option('--with-dependencies', 'with --node: also what it waits for and is not done')
    .option('--rerun', 'also run nodes again that are completed or skipped')
    .option('--stop-on-failure', 'start nothing more after a node has failed')
    .option('--parallel <number>', 'how many nodes run at once')
    .option('--max-tokens <number>', 'stop when it has used so many; the rest waits')
    .option('--max-cost <amount>', 'the same in the currency of the prices')
    .action((name: string, _options, command: Command) =>
      run<RunOptions>(command, async (api, options) => finish(api, await start(api, name, options), options)),
    )

  withWait(plans.command('decompose <plan>'))
    .description('let a model break down the plan or a node; the id of the run goes to stdout')
    .option('--node <number>', 'only this node')
    .option('--depth <levels>', 'how many levels to add (2)')
    .option('--budget <nodes>', 'how many nodes in all (50)')
    .option('--allow-existing-children', 'add to the nodes that are there already')
    .action((name: string, _options, command: Command) =>
      run<DecomposeOptions>(command, async (api, options) =>
        finish(api, await decompose(api, name, options), options),
      ),
    )

  withPage(plans.command('runs [plan]'))
    .description('newest first')
    .action((name: string | undefined, _options, command: Command) =>
      run(command, (api, options) => listRuns(api, name, options)),
    )

  plans
    .command('status <run>')
    .description('the state of its steps; the exit code shows how it ended')
    .option('--wait', 'wait until it has ended')
    .action((id: string, _options, command: Command) =>
      run<WaitOptions>(command, async (api, options) => {
        const found = await api.plans.getRun(id, { scope: options.scope })
        if (options.wait) return finish(api, found, options)
        if (!options.json) for (const step of found.steps) printProgress(describeStep(step))
        printRun(found, options)
      }),
    )

  plans
    .command('cancel <run>')
    .description('stop a run and all that it started')
    .action((id: string, _options, command: Command) =>
      run(command, async ({ plans: api, adopt }, { scope, json }) => {
        const cancelled = await api.cancelRun(id, { scope })
        // there may be no server that ends it
        adopt?.(cancelled.sessionId)
        const found = adopt ? await follow(api, cancelled, scope) : cancelled
        if (json) printJson(found)
        else printProgress(`cancelled ${id}`)
      }),
    )

  withWait(plans.command('retry <run>'))
    .description('repeat the actions of a run that were not done')
    .action((id: string, _options, command: Command) =>
      run<WaitOptions>(command, async (api, options) =>
        finish(api, await api.plans.retryRun(id, { scope: options.scope }), options),
      ),
    )

  plans
    .command('chat <plan>')
    .description('talk about a plan in a new session')
    .option('-m, --model <adapter/model>', 'the model to use')
    .action((name: string, _options, command: Command) =>
      run<WaitOptions>(command, async (api, options) => {
        const { scope, model } = options
        const { id, title } = await requirePlan(api.plans, name, options)
        const session = await api.sessions.create({ scope, planId: id, title })
        await talk(api, { scope, model, session: session.id })
      }),
    )
}

const withWait = (command: Command) =>
  command
    .option(
      '--wait',
      'until it has ended, with its steps on stderr; without a server it is done in this process',
    )
    .option('-m, --model <adapter/model>', 'the model to use')

async function start({ plans }: Api, name: string, options: RunOptions): Promise<PlanRun> {
  const { scope, node, only, withDependencies, rerun, stopOnFailure, parallel, model } = options
  const { maxTokens, maxCost } = options
  const { id } = await requirePlan(plans, name, options)
  const wish = {
    scope,
    model,
    rerun,
    ...(stopOnFailure && { onFailure: 'stop' as const }),
    ...(parallel !== undefined && { maxParallel: toCount('--parallel', parallel) }),
    ...(maxTokens !== undefined && { maxTokens: toCount('--max-tokens', maxTokens) }),
    ...(maxCost !== undefined && { maxCost: toAmount('--max-cost', maxCost) }),
  }
  if (node === undefined) return plans.execute(id, wish)
  return plans.runNode(id, toNodeNumber('--node', node), {
    ...wish,
    subtree: only !== true,
    withDependencies,
  })
}

function toAmount(option: string, text: string): number {
  const amount = Number(text)
  if (!(amount > 0) || !Number.isFinite(amount))
    throw invalidRequest(`${option} is ${JSON.stringify(text)}; it must be a number above 0.`)
  return amount
}

async function decompose({ plans }: Api, name: string, options: DecomposeOptions): Promise<PlanRun> {
  const { scope, node, depth, budget, model, allowExistingChildren } = options
  const { id } = await requirePlan(plans, name, options)
  return plans.decompose(id, {
    scope,
    model,
    nodeId: node === undefined ? undefined : toNodeNumber('--node', node),
    expandDepth: depth === undefined ? undefined : toCount('--depth', depth),
    nodeBudget: budget === undefined ? undefined : toCount('--budget', budget),
    allowExistingChildren,
  })
}

async function listRuns({ plans }: Api, name: string | undefined, options: Options): Promise<void> {
  const { scope, limit, cursor, json } = options
  const plan = name === undefined ? undefined : (await requirePlan(plans, name, options)).id
  const page = await plans.runs({ scope, plan, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no runs')
  const rows = page.items.map((item) => [item.id, item.planId ?? '', item.type, item.status, item.createdAt])
  printAnswer(formatTable(['id', 'plan', 'what', 'status', 'started'], rows))
  printMore(page.nextCursor)
}

async function finish({ plans, adopt }: Api, started: PlanRun, options: WaitOptions): Promise<void> {
  const { scope, json, wait, url } = options
  if (!wait) {
    if (json) printJson(started)
    else printAnswer(started.id)
    if (url === undefined) printProgress('it continues as soon as a server runs on this store (parley serve)')
    return
  }
  // there may be no server that executes it
  adopt?.(started.sessionId)
  const stop = () => void plans.cancelRun(started.id, { scope }).catch(() => {}) // it may have ended by now
  process.once('SIGINT', stop)
  printProgress(`run ${started.id}; Ctrl-C cancels it`)
  const over = await follow(plans, started, scope)
  process.off('SIGINT', stop)
  printRun(over, options)
}

const undone: readonly string[] = ['partial', 'refused', 'failed']

/** Its report or summary on stdout, everything else on stderr. The exit code shows how it ended; 1 also means that a step failed. */
function printRun(over: PlanRun, { json }: Options): void {
  const { id, status, steps, summary, report, error } = over
  if (json) printJson(over)
  else {
    const text = report ?? summary
    if (text !== undefined) printAnswer(text)
    if (error !== undefined && error !== summary) printProgress(`parley: ${error}`)
    if (status === 'paused') printProgress('it asks a person: parley approvals list')
    printProgress(`${id} ${status}`)
  }
  const hasFailed = steps.some(({ status: state }) => undone.includes(state))
  process.exitCode = status === 'completed' && hasFailed ? 1 : runExitCodes[status]
}
