import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import type { Message } from '../../src/core/protocol/message.ts'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import type { Run } from '../../src/core/store/queries/run-row.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { WireReply } from '../providers/provider-server.ts'
import { databases, temporaryFolder } from '../harness.ts'
import { countOpen, delivered, listTasks, readJournal, startProvider, toolCall, type Said } from './nodes.ts'
import { need } from '../runner/provision.ts'
import { createRandom } from '../seed.ts'

/**
 * A server does a bit of everything: turns with tools and a question to a person, tasks, a cron, a workflow, a plan, a
 * room, a memo. It dies right before and right after each kind of transaction that it commits, and of file that it puts
 * in place. Clients repeat their requests with the same key until they are answered.
 */
const deathsPerPoint = Number(process.env.PARLEY_TEST_POINT_DEATHS ?? 1)
/** So many, taken from everywhere; or `all` that there are. */
const wish = process.env.PARLEY_TEST_POINTS ?? '5'
const isComplete = wish === 'all'
const maxDeaths = isComplete ? Infinity : Number(wish)

describe.each(databases)(
  'a server that dies before and after everything it commits, on %s',
  (name, openDatabase) => {
    it(
      'goes on where it was: nothing is lost, nothing is done twice',
      async () => {
        await using database = await openDatabase()
        using folder = temporaryFolder()
        mkdirSync(join(folder.path, 'root'))
        for (const file of ['journal', 'deaths']) writeFileSync(join(folder.path, file), '')
        const deaths = () => readFileSync(join(folder.path, 'deaths'), 'utf8').split('\n').slice(0, -1)
        await using provider = await startProvider((messages, isTask) => reply(messages, isTask), {
          frameMs: 1,
        })
        const random = createRandom()
        const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
        await using store = await database.open(systemClock)
        await using server = keepAlive(await need('nodes'), [provider.url, folder.path, storage], () => ({
          deathsPerPoint: deaths().length < maxDeaths ? deathsPerPoint : 0,
          // without this only the beginning of a round would be come to
          passed: isComplete ? 0 : Math.floor(random() * 20),
        }))
        const rounds: Round[] = []
        // until nobody died in a whole one: there are no more points
        for (let before = -1; before < deaths().length;) {
          before = deaths().length
          rounds.push(await playRound(server, store, rounds.length + 1))
        }
        await server[Symbol.asyncDispose]()

        const points = new Set(deaths())
        process.stdout.write(
          `${name}: ${deaths().length} deaths at ${points.size} points in ${rounds.length} rounds, 0 lost, 0 twice\n`,
        )
        expect(points.size).toBeGreaterThanOrEqual(Math.min(40, maxDeaths))
        expect(await store.checkIntegrity()).toBeUndefined()
        await checkRuns(store)
        await checkNothingMore(store, rounds)
        const effects = readJournal(join(folder.path, 'journal'))
        for (const round of rounds) await checkRound(store, round, effects, join(folder.path, 'root'))
      },
      isComplete ? 3_600_000 : 600_000 + maxDeaths * 10_000,
    )
  },
)

/** The ids of what was asked for, as the answers had them. */
interface Round {
  number: number
  chatId: string
  taskId: string
  workflowRunId: string
  planId: string
  roomId: string
  cronId: string
}

const workflowSteps = [
  { id: 'first', type: 'agent', prompt: 'task number $args.number' },
  { id: 'check', type: 'approve', approvePrompt: 'Go on?' },
  { id: 'last', type: 'transform', transform: '$first.output $check.approved' },
]

async function playRound(server: Server, store: Store, number: number): Promise<Round> {
  const ask = (path: string, body: object, method?: string) => request(server, path, body, method)
  const chat = await ask('/api/sessions', { title: `chat ${number}` })
  await ask(`/api/sessions/${chat.id}/window`, { mode: 'memo', limit: { messages: 2 } }, 'PUT')
  const [task, workflow, plan, room, cron] = [
    await ask('/api/sessions', {
      kind: 'background',
      prompt: `task number ${number}001`,
      parentSessionId: chat.id,
    }),
    await ask('/api/workflow-runs', {
      text: stringify({ name: 'pointed', steps: workflowSteps }),
      args: { number: `${number}002` },
    }),
    await ask('/api/plans', {
      title: 'Plan',
      markdown: `- task number ${number}003\n- task number ${number}004\n`,
    }),
    await ask('/api/sessions', { mode: 'free_chat', agents: ['mira', 'quill'] }),
    await ask('/api/crons', { schedule: '*/2 * * * * *', prompt: `task number ${number}005` }),
  ]
  await ask(`/api/plans/${plan.id}/execute`, {})
  await ask(`/api/sessions/${room.id}/chat`, { content: `input ${number}` })
  for (const input of [1, 2])
    await ask(`/api/sessions/${chat.id}/chat`, { content: `input ${number}00${input}` })
  const answered = new Set<string>()
  let isPaused = false
  const isOver = async () => {
    const { items } = await store.listApprovals('default', { status: 'pending', limit: 50 })
    for (const { id, kind } of items) {
      if (answered.has(id)) continue
      if (kind !== 'question') await ask(`/api/approvals/${id}`, { decision: 'approve' })
      else {
        const run = await ask(`/api/workflow-runs/${workflow.id}`, {}, 'GET')
        const { token } = run.steps.find(({ status }) => status === 'paused')!
        await ask(`/api/workflow-runs/${workflow.id}/resume`, { token, approved: true })
      }
      answered.add(id)
    }
    const { items: fires } = await store.listFires(cron.id, { limit: 200 })
    if (fires.length > 0 && !isPaused) {
      await ask(`/api/crons/${cron.id}/pause`, {})
      isPaused = true
    }
    return [
      await countOpen(store),
      isPaused && fires.every(({ outcome }) => outcome === 'completed' || outcome === 'skipped'),
      (await delivered(store, chat.id)).length,
      (await store.listInbox(chat.id)).length,
    ]
  }
  await expect
    .poll(isOver, { timeout: isComplete ? 900_000 : 180_000, interval: 50 })
    .toEqual([0, true, 3, 0])
  return {
    number,
    chatId: chat.id,
    taskId: task.id,
    workflowRunId: workflow.id,
    planId: plan.id,
    roomId: room.id,
    cronId: cron.id,
  }
}

/** Answers what comes of a request; asks again, with the same key, while nobody is there. */
async function request(server: Server, path: string, body: object, method = 'POST') {
  const key = crypto.randomUUID()
  for (;;) {
    const url = server.url()
    try {
      if (url === undefined) throw new TypeError('nobody is there')
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        ...(method !== 'GET' && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      if (response.headers.get('content-type')?.includes('json'))
        return (await response.json()) as { id: string; steps: { token?: string; status: string }[] }
      // the head is the acknowledgement of a turn
      await response.body!.cancel()
      return { id: response.headers.get('x-parley-run')!, steps: [] }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await sleep(10)
    }
  }
}

type Server = ReturnType<typeof keepAlive>

/** A server that is started again whenever it died, by a process that was loaded meanwhile. */
function keepAlive(
  starter: string,
  args: string[],
  nextLife: () => { deathsPerPoint: number; passed: number },
) {
  const program = [starter, 'point-node.ts', ...args]
  const load = () => {
    const child = spawn(process.execPath, program, {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    // it may be killed before it has read
    child.stdin.on('error', () => {})
    onTestFinished(() => void child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    const ready = once(createInterface(child.stdout), 'line').then(([url]) => String(url))
    return { child, exited, ready }
  }
  let isStopped = false
  let spare = load()
  let node = spare
  let url: string | undefined
  const running = (async () => {
    while (!isStopped) {
      node = spare
      node.child.stdin.write(`${JSON.stringify(nextLife())}\n`)
      spare = load()
      url = await Promise.race([node.ready, node.exited.then(() => undefined)])
      await node.exited
      url = undefined
    }
  })()
  return {
    /** Where it is; undefined when it is nowhere at the moment. */
    url: () => url,
    async [Symbol.asyncDispose]() {
      isStopped = true
      for (const { child } of [node, spare]) child.kill('SIGKILL')
      await running
      await spare.exited
    },
  }
}

/** What the model of a turn, a task, a seat in the room or a memo says next. */
function reply(messages: Said[], isTask: boolean): WireReply {
  const [first] = messages
  const system = JSON.stringify(first)
  if (system.includes('Answer with the whole new memo')) return { text: '{"recent_summary":"kept"}' }
  if (isTask) return doTask(messages)
  const [, agent] = /You are \w+ \(@(\w+)\)/.exec(system) ?? []
  const at = messages.findLastIndex(
    ({ role, content }) => role === 'user' && /input \d+/.test(JSON.stringify(content)),
  )
  const [input = ''] = /input \d+/.exec(JSON.stringify(messages[at])) ?? []
  const since = messages.slice(at + 1)
  if (agent !== undefined) return { text: `${agent} heard ${input}` }
  // woken by a task; what was asked may have left the window
  if (at === -1 || JSON.stringify(since).includes(`done with ${input}`)) return { text: 'thanks' }
  const number = input.replace('input ', '')
  const calls = [
    toolCall(`call_${number}_1`, 'note', { text: input }),
    toolCall(`call_${number}_2`, 'repeatable_note', { text: input }),
    toolCall(`call_${number}_3`, 'spawn_task', { task: `task number 9${number}` }),
    toolCall(`call_${number}_4`, 'file', { action: 'write', path: `${number}.txt`, content: input }),
  ]
  const done = since.filter(({ role }) => role === 'tool').length
  return done < calls.length ? { toolCalls: [calls[done]!] } : { text: `done with ${input}` }
}

function doTask(messages: Said[]): WireReply {
  const [, number] = /task number (\d+)/.exec(
    JSON.stringify(messages.findLast(({ content }) => /task number \d+/.test(JSON.stringify(content)))),
  )!
  return messages.some(({ role }) => role === 'tool')
    ? { toolCalls: [toolCall(`result_${number}`, 'set_result', { output: `result ${number}` })] }
    : { toolCalls: [toolCall(`note_${number}`, 'repeatable_note', { text: `task ${number}` })] }
}

/** Every run has ended well, once, with its steps numbered without a hole. */
async function checkRuns(store: Store): Promise<void> {
  const runs: Run[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await store.listRuns('default', { limit: 200, cursor })
    runs.push(...page.items)
    cursor = page.nextCursor
  }
  const { last } = await store.getEventRange('default')
  const events = await store.listEvents('default', { after: 0, limit: last })
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: last }, (_, index) => index + 1))
  const ends = Map.groupBy(
    events.filter(({ type }) => type === 'run-finished'),
    ({ data }) => data.runId,
  )
  for (const run of runs) {
    expect(run, run.kind).toMatchObject({ status: 'completed', finishedAt: expect.any(Number) })
    const steps = (await store.listRunSteps(run.id)).map(({ step }) => step)
    expect(steps).toEqual(steps.map((_, index) => index + 1))
    expect(ends.get(run.id)?.length ?? 1, `the end of a ${run.kind} was told twice`).toBe(1)
  }
}

/** A request that was repeated until it was answered has made one of what it asked for. */
async function checkNothingMore(store: Store, rounds: readonly Round[]): Promise<void> {
  const { items } = await store.listSessions('default', { kind: 'interactive', limit: 500 })
  const made = items.filter(({ title, mode }) => title.startsWith('chat ') || mode !== undefined)
  expect(made.map(({ id }) => id).sort()).toEqual(
    rounds.flatMap(({ chatId, roomId }) => [chatId, roomId]).sort(),
  )
  const plans = await store.listPlans('default', { limit: 100 })
  expect(plans.items).toHaveLength(rounds.length)
  const runs = await store.listRuns('default', { kind: 'workflow', limit: 100 })
  expect(runs.items.map(({ id }) => id).sort()).toEqual(
    rounds.map(({ workflowRunId }) => workflowRunId).sort(),
  )
  const crons = await store.listCrons('default', { limit: 100 })
  expect(crons.items.map(({ id }) => id).sort()).toEqual(rounds.map(({ cronId }) => cronId).sort())
  const tasks = (await listTasks(store)).filter(({ bgMeta }) => bgMeta?.source !== 'cron')
  expect(tasks, 'one asked for, two spawned, one step, two nodes').toHaveLength(rounds.length * 6)
}

async function checkRound(
  store: Store,
  { number, chatId, taskId, workflowRunId, planId, roomId, cronId }: Round,
  effects: Map<string, number>,
  root: string,
): Promise<void> {
  const log = await store.listMessages('default', chatId, { limit: 1_000 })
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  for (const input of [`input ${number}001`, `input ${number}002`]) {
    expect(log.filter((message) => message.role === 'user' && messageText(message) === input)).toHaveLength(1)
    const answers = log.filter((message) => messageText(message).includes(`done with ${input}`))
    expect(answers, `${input} was answered once`).toHaveLength(1)
    checkCalls(answers[0]!, input, effects, join(root, `${input.replace('input ', '')}.txt`))
  }
  const results = await delivered(store, chatId)
  const spawned = [`result 9${number}001`, `result 9${number}002`, `result ${number}001`]
  expect(results.map(({ output }) => output).sort()).toEqual(spawned.sort())
  expect(results.map(({ taskId: id }) => id)).toContain(taskId)

  const workflow = await store.getRun('default', workflowRunId)
  expect(workflow?.outcome).toMatchObject({ output: `result ${number}002 true` })
  const nodes = await store.listNodes(planId)
  expect(nodes.map(({ status, result }) => [status, result?.output])).toEqual([
    ['completed', `result ${number}003`],
    ['completed', `result ${number}004`],
  ])
  const heard = await store.listMessages('default', roomId, { limit: 100 })
  const texts = heard.map((message) => messageText(message))
  expect(texts.sort()).toEqual([
    `input ${number}`,
    `mira heard input ${number}`,
    `quill heard input ${number}`,
  ])
  const { items: fires } = await store.listFires(cronId, { limit: 200 })
  expect(new Set(fires.map(({ fireAt }) => fireAt)).size).toBe(fires.length)
  const begun = fires.flatMap(({ sessionId }) => sessionId ?? [])
  expect(new Set(begun).size).toBe(begun.length)
  const tasks = await listTasks(store)
  expect(tasks.flatMap(({ id, bgMeta }) => (bgMeta?.sourceId === cronId ? id : [])).sort()).toEqual(
    begun.sort(),
  )
  for (const end of ['001', '002', '003', '004', '005'])
    expect(effects.get(`repeatable_note task ${number}${end}`)).toBeGreaterThanOrEqual(1)
}

/** What cannot be repeated took place once, or nobody can say; what can be took place at least once. */
function checkCalls({ parts }: Message, input: string, effects: Map<string, number>, file: string): void {
  const calls = parts.filter(({ type }) => type === 'dynamic-tool')
  expect(calls.map(({ toolName }) => toolName)).toEqual(['note', 'repeatable_note', 'spawn_task', 'file'])
  const [note, repeatable, , write] = calls
  const times = effects.get(`note ${input}`) ?? 0
  if (note!.state === 'output-available') expect(times).toBe(1)
  else expect(times).toBeLessThanOrEqual(1)
  expect(repeatable!.state).toBe('output-available')
  expect(effects.get(`repeatable_note ${input}`)).toBeGreaterThanOrEqual(1)
  // whole, or not there at all
  const content = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (content !== undefined || write!.state === 'output-available') expect(content).toBe(input)
}
