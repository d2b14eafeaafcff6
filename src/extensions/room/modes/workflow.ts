import { z } from 'zod'
import { conflict } from '../../../core/protocol/error.ts'
import { misfit } from '../../../core/protocol/issues.ts'
import { once } from '../../../core/shared/once.ts'
import { toLine } from '../../../core/shared/text.ts'
import { toPeopleText } from '../routing-words.ts'
import type { Answer, Decision, Mode, RoomFacts, RoomInput } from './mode.ts'
import { toContractText } from './workflow/node-ask.ts'
import { assignRoles, requireRoleMap } from './workflow/roles.ts'
import {
  beginState,
  intake,
  nodes,
  optionsSchema,
  stateSchema,
  withMessage,
  withProposal,
  type Outcome,
  type WorkflowState,
} from './workflow/state.ts'
import { textsOf } from './workflow/texts.ts'
import { finalize, rest, takeNodeAnswer, takeTests, work } from './workflow/transitions.ts'

const maxNote = 2_000
const confirmSchema = z.strictObject({
  approved: z.boolean(),
  note: z.string().trim().min(1).max(maxNote).optional().meta({
    description: 'Of a plan that is confirmed: a condition. Of one that is not: what to do instead',
  }),
})
const confirmJsonSchema = once(() => {
  const { $schema, ...schema } = z.toJSONSchema(confirmSchema)
  return schema
})

// what ended by a fault, and not by what was found out: the same node may do better another time
const retried: readonly (Outcome | undefined)[] = [
  'agent_failed',
  'canceled',
  'review_schema_invalid',
  'tester_command_blocked',
  'no_test_commands',
]

/** Coder, reviewer and tester work on a task one after the other. Who does which is in `workflow/roles.ts`. */
export const workflow: Mode<WorkflowState> = {
  name: 'workflow',
  label: { en: 'Workflow', zh: '流程执行' },
  icon: '⚙️',
  description: {
    en: 'Coder, reviewer and tester work on a task in order, with verdicts and tests',
    zh: '编码、评审、测试按顺序完成任务，有裁决和测试',
  },
  minAgents: 1,
  maxAgents: 50,
  // what a node needs to know is in its task; the log is for the rest
  window: { preset: 'last-20' },
  options: optionsSchema,
  state: stateSchema,
  usesMemory: true,

  begin(room, options) {
    requireRoleMap(room)
    return beginState(options)
  },

  rules(room, agent) {
    const texts = textsOf(room)
    const roles = assignRoles(room)
    if (roles === undefined) return texts.nobody
    return texts.rules(
      roles,
      nodes.filter((node) => roles[node] === agent.name),
    )
  },

  describe: (room, state) => textsOf(room).stands(state, assignRoles(room)?.[state.currentNode]),

  view: toView,

  onInput(room, state, input) {
    if (input.mentions.length > 0) return askAside(room, state, input)
    if (input.people.length > 0) return leaveToPeople(room, state, input)
    const isFinished = state.finished || state.waiting
    return work(room, isFinished ? intake(withMessage(state, input.text)) : withMessage(state, input.text))
  },

  onAnswers(room, state, answers, run) {
    if (state.asked === 'side') return publishAside(room, state, answers)
    const step = takeNodeAnswer(room, state, answers[0]!)
    const { maxReplies } = room.settings
    return step.asks.length > 0 && run.answers >= maxReplies ? pause(room, step, maxReplies) : step
  },

  onCommands: takeTests,

  onAdvance(room, state, { from, action }) {
    if (action !== undefined) return decide(room, state, from, action)
    if (state.waiting)
      throw conflict(
        'The plan waits to be confirmed: give {"action": {"approved": true}}, or false with a note.',
      )
    if (state.messages.length === 0)
      throw conflict('There is no task yet. Say in the room what is to be done.')
    if (!canGoOn(state))
      throw conflict(
        `The workflow is finished (${state.lastOutcome}). Say in the room what else is to be done.`,
      )
    return work(room, { ...state, lastOutcome: state.cause })
  },

  asksOfPeople(room, state) {
    if (!state.waiting) return []
    const text = textsOf(room).confirmQuestion
    const content = toContractText(room, state)
    return room.humans.map(({ name }) => ({ human: name, text, content, schema: confirmJsonSchema() }))
  },

  canAdvance: (_room, state) => canGoOn(state),
}

/** Starts, continues where it was left, or retries the node that failed. */
const canGoOn = ({ waiting, messages, finished, lastOutcome }: WorkflowState) =>
  !waiting && messages.length > 0 && (!finished || retried.includes(lastOutcome))

/** Those who are mentioned answer, and the workflow stays where it is. */
function askAside(room: RoomFacts, state: WorkflowState, { mentions }: RoomInput): Decision<WorkflowState> {
  const { sideQuestion, routing } = textsOf(room)
  return {
    state: { ...state, asked: 'side' },
    statements: [],
    asks: mentions.map((agent) => ({ agent, task: sideQuestion })),
    routing: { reason: 'mention', text: routing.mention, mentions: [...mentions], phase: state.phase },
  }
}

/** What people say to one another is no part of the task. */
function leaveToPeople(
  room: RoomFacts,
  state: WorkflowState,
  { people }: RoomInput,
): Decision<WorkflowState> {
  const decision = rest(room, state, [], toPeopleText(room, people))
  return { ...decision, routing: { ...decision.routing, reason: 'nobody' } }
}

function publishAside(
  room: RoomFacts,
  state: WorkflowState,
  answers: readonly Answer[],
): Decision<WorkflowState> {
  const statements = answers
    .filter(({ status }) => status !== 'skipped')
    .map(({ agent }) => ({ answerOf: agent }))
  return rest(room, state, statements, textsOf(room).routing.side)
}

/** What a person makes of the plan. */
function decide(
  room: RoomFacts,
  state: WorkflowState,
  from: string,
  action: Record<string, unknown>,
): Decision<WorkflowState> {
  if (!state.waiting) throw conflict('No plan waits to be confirmed; "advance" without an action continues.')
  const parsed = confirmSchema.safeParse(action)
  if (!parsed.success)
    throw misfit(parsed.error, action, { before: 'The action cannot be taken.', within: ['action'] })
  const { approved, note } = parsed.data
  const statements = [{ text: [textsOf(room).decided(from, approved), toLine(note ?? '')].join(' ').trim() }]
  if (approved) {
    const agreed = withProposal(state, state.proposal, note === undefined ? [] : [note])
    const start = { phase: 'implementation', currentNode: 'coder', lastOutcome: undefined } as const
    return work(room, { ...agreed, ...start, completedNodes: [] }, statements)
  }
  // a no with a reason is a follow-up
  if (note !== undefined) return work(room, intake(withMessage(state, note)), statements)
  return finalize(room, state, 'declined', statements)
}

/** So many answers to one input and no more; `advance` asks who was to be asked. */
function pause(room: RoomFacts, step: Decision<WorkflowState>, limit: number): Decision<WorkflowState> {
  const text = textsOf(room).routing.maxReplies(limit)
  const { state, statements, routing } = rest(room, step.state, [...step.statements, { text }], text)
  return { state, statements, asks: [], routing: { ...routing, stopped: 'max_replies' } }
}

function toView(room: RoomFacts, state: WorkflowState): Record<string, unknown> {
  const { phase, round, maxRounds, currentNode, completedNodes, mustFix, tests } = state
  const { lastOutcome, failure, finished, waiting, contract } = state
  const { nodes: labels } = textsOf(room)
  const roles = assignRoles(room)
  const statusOf = (node: (typeof nodes)[number]) => (node === currentNode ? 'current' : 'pending')
  return {
    phase,
    round,
    maxRounds,
    currentNode,
    completedNodes,
    nodes: nodes.map((node) => ({
      node,
      label: labels[node],
      agent: roles?.[node],
      status: completedNodes.includes(node) ? 'done' : statusOf(node),
    })),
    mustFix,
    lastOutcome,
    failure,
    finished,
    waitsForConfirmation: waiting,
    tests,
    contract: contract.hash,
  }
}
