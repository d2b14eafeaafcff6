import { expect } from 'vitest'
import type { ModelEvent, ModelRequest } from '../src/core/models/adapter.ts'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import { changePlan } from '../src/extensions/plan/change-plan.ts'
import { addNode } from '../src/extensions/plan/nodes.ts'
import { requirePlanRun } from '../src/extensions/plan/runs.ts'
import type { Message } from '../src/core/protocol/message.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { PlanRun, PlanTurn } from '../src/extensions/plan/protocol/plan-run.ts'
import type { NodeRecord } from '../src/extensions/plan/store/plans.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { toOptions, type OpenDatabase } from './harness.ts'

export interface GivenAction {
  kind: string
  name: string
  parameters?: Record<string, unknown>
  [field: string]: unknown
}

export const task = (
  name: string,
  parameters: Record<string, unknown> = {},
  more: object = {},
): GivenAction => ({
  kind: 'task_operation',
  name,
  parameters,
  ...more,
})
export const operation = (name: string, parameters: Record<string, unknown> = {}, more: object = {}) => ({
  ...task(name, parameters, more),
  kind: 'plan_operation',
})

/** An answer as a well-behaved model writes it; actions are counted in their order. */
export const replies = (message: string, ...actions: GivenAction[]): string =>
  JSON.stringify({
    llm_reply: { message },
    actions: actions.map((action, index) => ({ order: index + 1, ...action })),
  })

export interface PlanModel {
  /** What a session about a plan is answered, by what was said last and how often it was asked. */
  chat?: (said: string, request: ModelRequest, count: number) => string
  /** What the session of a node does; by default it hands in "<name> done". */
  node?: (name: string, request: ModelRequest) => (ModelEvent | Error | Promise<unknown>)[] | undefined
  /** Into what something is taken apart. */
  children?: (name: string, request: ModelRequest) => Record<string, unknown>
}

const lastText = ({ messages }: ModelRequest): string => {
  const last = messages.findLast(({ role }) => role === 'user')
  return (last?.content ?? [])
    .flatMap((part) => (part.type === 'text' && !part.text.startsWith('<context>') ? [part.text] : []))
    .join('\n')
}

/** Which node a request is about. */
export const nodeOf = ({ system }: ModelRequest): string => /your task: \d+, (.*)/.exec(system)?.[1] ?? ''

function createPlanModel({ chat, node, children }: PlanModel) {
  let count = 0
  return createScripted((request) => {
    if (request.replyFormat?.name === 'plan_reply')
      return says(chat?.(lastText(request), request, ++count) ?? replies('All right.'))
    const text = JSON.stringify(request.messages)
    if (text.includes('Take the ')) {
      const name = /Take the (?:plan|task \d+,) \\"(.*?)\\"/.exec(text)?.[1] ?? ''
      const data = children?.(name, request) ?? { should_stop: true, children: [] }
      return calls(['set_result', data])
    }
    const name = nodeOf(request)
    return node?.(name, request) ?? calls(['set_result', { output: `${name} done` }])
  })
}

export interface OpenedPlans extends AsyncDisposable {
  parley: Parley
  requests: ModelRequest[]
  /** A plan with these nodes at its top; a node is a name, or a name with what else it is. */
  plan(
    nodes?: readonly (string | NodeSpec)[],
    title?: string,
  ): Promise<{ planId: string; nodes: NodeRecord[] }>
  session(planId?: string): Promise<string>
  /** Says something and waits for the answer; the actions may still go on. */
  say(
    sessionId: string,
    text: string,
  ): Promise<{ message: Message; turn?: PlanTurn; text: string; error?: string }>
  /** Waits until a run is over, or waits for a person. */
  settled(runId: string): Promise<PlanRun>
  /** Says something and waits until its actions are done. */
  act(sessionId: string, text: string): Promise<PlanRun>
  messages(sessionId: string): Promise<Message[]>
  node(planId: string, id: number): Promise<NodeRecord>
  statuses(planId: string): Promise<Record<number, string>>
}

export interface NodeSpec {
  name: string
  parentId?: number
  after?: number[]
  acceptance?: string[]
  instruction?: string
}

export const caller = { scope: 'default', actor: { type: 'user', id: 'test' }, seesAllScopes: true } as const

export async function openPlans(
  openDatabase: OpenDatabase,
  behaviour: PlanModel = {},
  options: Partial<ParleyOptions> = {},
): Promise<OpenedPlans> {
  const database = await openDatabase()
  const model = createPlanModel(behaviour)
  const parley = await createParley({
    ...toOptions(database),
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    ...options,
  })
  const { store } = parley
  const settled = async (runId: string): Promise<PlanRun> => {
    let run: PlanRun | undefined
    await expect
      .poll(async () => (run = await requirePlanRun(store, 'default', runId)).status, { timeout: 200_000 })
      .not.toMatch(/^(pending|running)$/)
    return run!
  }
  const say: OpenedPlans['say'] = async (sessionId, text) => {
    const { message, run } = await parley.sessions.chat(sessionId, { content: text })
    const turn = message?.parts.find(({ type }) => type === 'data-plan')?.data as PlanTurn | undefined
    return {
      message: message!,
      turn,
      text: messageText(message!),
      error: (run.outcome as { message?: string } | undefined)?.message,
    }
  }
  return {
    parley,
    requests: model.requests,
    settled,
    say,
    async plan(nodes = [], title = 'A plan') {
      await store.ensureScope('default')
      const { id: planId } = await store.createPlan({
        scope: 'default',
        title,
        description: '',
        metadata: {},
      })
      const { answer } = await changePlan(
        store,
        caller,
        planId,
        { action: 'test', now: Date.now() },
        async (edit) => {
          const made: NodeRecord[] = []
          for (const node of nodes) {
            const {
              parentId = 0,
              after,
              ...facts
            } = typeof node === 'string' ? ({ name: node } as NodeSpec) : node
            made.push(await addNode(edit, { ...facts, dependencies: after }, { parentId }, Date.now()))
          }
          return made
        },
      )
      return { planId, nodes: answer }
    },
    async session(planId) {
      const session = await parley.sessions.create(planId === undefined ? { mode: 'plan' } : { planId })
      return session.id
    },
    async act(sessionId, text) {
      const { turn, error } = await say(sessionId, text)
      if (turn?.runId === undefined) throw new Error(`No actions: ${error ?? JSON.stringify(turn)}`)
      return settled(turn.runId)
    },
    messages: async (sessionId) => store.listMessages('default', sessionId, { limit: 200 }),
    async node(planId, id) {
      const node = await store.getNode(planId, id)
      if (!node) throw new Error(`There is no node ${id}.`)
      return node
    },
    statuses: async (planId) =>
      Object.fromEntries((await store.listNodes(planId)).map(({ id, status }) => [id, status])),
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
