import { createInterface } from 'node:readline/promises'
import { type Command, Option } from 'commander'
import { conflict, invalidRequest, notFound } from '../../../core/protocol/error.ts'
import { workflowRunStatuses, type WorkflowRun } from '../protocol/workflow.ts'
import type { Definition } from '../named-steps.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { readArgs } from './args.ts'
import type { Api, CommandContext, Options } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'
import { findNamed, requireNamed } from './find-workflow.ts'
import { createFollower, describeStep, printRun } from './progress.ts'
import { askQuestions, findQuestions, type Question } from './questions.ts'
import { readText } from '../../../core/command-line/read-text.ts'

interface RunOptions extends Options {
  arg?: string[]
  argsJson?: string
  wait: boolean
}

export function addRunCommands(workflows: Command, { run }: CommandContext): void {
  workflows
    .command('run <name>')
    .description('run a saved workflow, a file or a template; its output goes to stdout, its steps to stderr')
    .option(
      '--arg <key=value>',
      'an argument, read by its type: JSON for an object or array; may be given many times',
      collect,
    )
    .option('--args-json <object>', 'arguments as JSON')
    .option('--no-wait', 'only start it: its id goes to stdout')
    .action((name: string, _options, command: Command) =>
      run<RunOptions>(command, (api, options) => startRun(api, name, options)),
    )

  withPage(workflows.command('runs [name]'))
    .description('newest first')
    .addOption(new Option('--status <status>').choices(workflowRunStatuses))
    .action((name: string | undefined, _options, command: Command) =>
      run<Options & { status?: WorkflowRun['status'] }>(command, (api, options) =>
        listRuns(api, name, options),
      ),
    )

  workflows
    .command('status <run>')
    .description('the state of its steps; the exit code shows how it ended')
    .action((id: string, _options, command: Command) =>
      run(command, async ({ workflows: api }, options) => {
        const found = await api.getRun(id, { scope: options.scope })
        if (!options.json) for (const step of found.steps) printProgress(describeStep(step))
        if (!options.json && found.status === 'completed') printProgress(`${found.id} completed`)
        printRun(found, await findQuestions(api, found, options.scope), options)
      }),
    )

  workflows
    .command('resume <run>')
    .description(
      'answer the question of a run and resume it; without --approve or --reject you are asked at the terminal',
    )
    .option('--token <token>', 'which question, where there are several')
    .option('--approve', 'yes')
    .option('--reject', 'no')
    .option('--comment <text>', 'passed to the steps that follow')
    .option('--no-wait', 'only answer')
    .action((id: string, _options, command: Command) =>
      run<ResumeOptions>(command, (api, options) => resume(api, id, options)),
    )

  workflows
    .command('cancel <run>')
    .description('stop a run and all its steps')
    .action((id: string, _options, command: Command) =>
      run(command, async ({ workflows: api, adopt }, { scope, json }) => {
        const cancelled = await api.cancel(id, { scope })
        // there may be no server that ends it
        adopt?.(cancelled.sessionId)
        const found = adopt ? (await createFollower(api, cancelled, scope)()).run : cancelled
        if (json) printJson(found)
        else printProgress(`cancelled ${id}`)
      }),
    )

  workflows
    .command('rerun <run>')
    .description('run the same definition again')
    .option('--from <step>', 'start at this step; earlier steps are not repeated')
    .option('--no-wait', 'only start it: its id goes to stdout')
    .action((id: string, _options, command: Command) =>
      run<RunOptions & { from?: string }>(command, async (api, options) => {
        const { scope, from } = options
        await finish(api, await api.workflows.rerun(id, { scope, fromStep: from }), options)
      }),
    )
}

async function listRuns(
  { workflows }: Api,
  name: string | undefined,
  options: Options & { status?: WorkflowRun['status'] },
): Promise<void> {
  const { scope, status, limit, cursor, json } = options
  const workflow = name === undefined ? undefined : (await requireNamed(workflows, name, options)).id
  const page = await workflows.runs({ scope, workflow, status, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no runs')
  const rows = page.items.map((item) => [item.id, item.name, item.status, item.trigger, item.createdAt])
  printAnswer(formatTable(['id', 'workflow', 'status', 'started by', 'started'], rows))
  printMore(page.nextCursor)
}

interface ResumeOptions extends RunOptions {
  token?: string
  approve?: boolean
  reject?: boolean
  comment?: string
}

async function resume(api: Api, id: string, options: ResumeOptions): Promise<void> {
  const { scope, approve, reject, comment, wait, json } = options
  const saysNothing = !approve && !reject && options.token === undefined && comment === undefined
  if (saysNothing) return resumeWithoutAnswer(api, id, options)
  if ((approve === true) === (reject === true)) throw eitherOr()
  const { runId, token } = await findQuestion(api, id, options)
  const answered = await api.workflows.resume(runId, { scope, token, approved: approve === true, comment })
  const found = runId === id ? answered : await api.workflows.getRun(id, { scope })
  if (wait) return finish(api, found, options)
  if (json) printJson(found)
  else printProgress(`${id} ${approve ? 'continues' : 'was rejected'}`)
  printWhoContinues(options)
}

const eitherOr = () => invalidRequest('Say --approve or --reject, one of the two.')

/** A run without questions may have lost the process that executed it. */
async function resumeWithoutAnswer(api: Api, id: string, options: ResumeOptions): Promise<void> {
  const { scope } = options
  const found = await api.workflows.getRun(id, { scope })
  const { questions } = await findQuestions(api.workflows, found, scope)
  if (questions.length > 0 && !canAsk(options)) throw eitherOr()
  if (found.finishedAt !== undefined)
    throw conflict(`The run ${JSON.stringify(id)} has ended: it is ${found.status}.`)
  await finish(api, found, options)
}

/** The one that a run asks, or that of a token, which may belong to a workflow that is a step of the run. */
async function findQuestion(
  { workflows }: Api,
  id: string,
  { scope, token }: ResumeOptions,
): Promise<Pick<Question, 'runId' | 'token'>> {
  const found = await workflows.getRun(id, { scope })
  const { questions } = await findQuestions(workflows, found, scope)
  if (token !== undefined)
    return questions.find((question) => question.token === token) ?? { runId: id, token }
  const [first, ...others] = questions
  if (!first) throw conflict(`The run ${JSON.stringify(id)} asks nothing: it is ${found.status}.`)
  if (others.length === 0) return first
  const list = questions.map((question) => `${question.path} (--token ${question.token})`)
  throw invalidRequest(`It asks more than one thing; say which: ${list.join(', ')}.`)
}

/** An argument that is neither the name nor the id of a workflow is tried as a file, then as a shipped definition. */
async function startRun(api: Api, name: string, options: RunOptions): Promise<void> {
  const { scope } = options
  const known = await findNamed(api.workflows, name, scope)
  if (known) {
    const args = readArgs(options, known.args)
    return finish(api, await api.workflows.run(known.id, { scope, args }), options)
  }
  const text = /[./\\]|^-$/.test(name) ? await readText(name) : await findTemplate(api, name)
  const { definition } = await api.workflows.validate({ scope, text })
  const args = readArgs(options, (definition as Pick<Definition, 'args'> | undefined)?.args)
  await finish(api, await api.workflows.start({ scope, text, args }), options)
}

async function findTemplate({ workflows }: Api, name: string): Promise<string> {
  const { items } = await workflows.templates()
  const found = items.find((template) => template.name === name)
  if (!found) throw notFound('workflow', name)
  return found.text
}

async function finish(api: Api, started: WorkflowRun, options: RunOptions): Promise<void> {
  const { workflows, adopt } = api
  const { scope, json, wait } = options
  if (!wait) {
    if (json) printJson(started)
    else printAnswer(started.id)
    return printWhoContinues(options)
  }
  // there may be no server that executes it
  adopt?.(started.sessionId)
  const stop = () => void workflows.cancel(started.id, { scope }).catch(() => {}) // it may be over by now
  process.once('SIGINT', stop)
  printProgress(`run ${started.id}; Ctrl-C cancels it`)
  const follow = createFollower(workflows, started, scope)
  let now = await follow()
  while (now.asking.questions.length > 0 && canAsk(options)) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    const isAnswered = await askQuestions(workflows, terminal, now.asking.questions, scope)
    terminal.close()
    if (!isAnswered) break
    now = await follow()
  }
  process.off('SIGINT', stop)
  printRun(now.run, now.asking, options)
}

const canAsk = ({ json, wait }: RunOptions) =>
  wait && !json && process.stdin.isTTY === true && process.stderr.isTTY === true

function printWhoContinues({ url }: RunOptions): void {
  if (url === undefined) printProgress('it continues as soon as a server runs on this store (parley serve)')
}

const collect = (value: string, before: string[] = []) => [...before, value]
