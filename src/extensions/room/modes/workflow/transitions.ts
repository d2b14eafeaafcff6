/**
 * How a workflow proceeds:
 *
 *   proposal        coder → reviewer → tester → (a person confirms) → implementation
 *   implementation  coder → reviewer ─ approve ─▶ tester ─ commands pass ─▶ approved
 *                     ▲        └ changes requested       └ commands fail, or no usable answer
 *                     └────────── the next round, while there are rounds left ──────┘
 *
 * All else ends it with an outcome that names the reason. After a fault, a node is asked the same again.
 */
import type { Answer, CommandOutcome, Decision, RoomFacts, Statement } from '../mode.ts'
import { bounded } from './bounded.ts'
import { failedCommands, judgeTests, toTests } from './judge-tests.ts'
import { toNodeAsk } from './node-ask.ts'
import { assignRoles } from './roles.ts'
import { nodes, withProposal, type Outcome, type WorkflowState } from './state.ts'
import { textsOf } from './texts.ts'
import { readReview, readTestPlan } from './verdicts.ts'
import { toPlanText, toReviewText, toTestLines } from './wording.ts'

type Step = Decision<WorkflowState>

// of each command that did not pass, in the log; the coder sees more
const maxLoggedOutput = 1_000

/** Has the current node work. */
export function work(room: RoomFacts, state: WorkflowState, statements: readonly Statement[] = []): Step {
  const texts = textsOf(room)
  const agent = assignRoles(room)?.[state.currentNode]
  if (agent === undefined) return fail(room, state, texts.nobody, statements)
  return {
    state: { ...state, asked: 'node', failure: undefined, finished: false, waiting: false },
    statements,
    asks: [toNodeAsk(room, state, agent)],
    routing: {
      reason: 'mode',
      text: texts.routing.node(texts.nodes[state.currentNode], agent),
      mentions: [],
      phase: state.phase,
    },
  }
}

/** No agent is asked; the room waits for people. */
export function rest(
  room: RoomFacts,
  state: WorkflowState,
  statements: readonly Statement[],
  text?: string,
): Step {
  const why = text ?? textsOf(room).routing.over(state.lastOutcome ?? state.phase)
  return {
    state: { ...state, asked: undefined },
    statements,
    asks: [],
    routing: { reason: 'mode', text: why, mentions: [], phase: state.phase },
  }
}

export function finalize(
  room: RoomFacts,
  state: WorkflowState,
  outcome: Outcome,
  statements: readonly Statement[] = [],
  detail = '',
): Step {
  const text = [textsOf(room).outcomes[outcome], detail].filter((part) => part !== '').join(' ')
  return rest(room, { ...state, lastOutcome: outcome, finished: true, waiting: false }, [
    ...statements,
    { text },
  ])
}

/** `advance` asks the node again. */
function fail(room: RoomFacts, state: WorkflowState, reason: string, statements: readonly Statement[]): Step {
  const node = state.currentNode
  const failure = { node, reason: bounded(reason, 2_000) }
  const detail = `${textsOf(room).nodes[node]}: ${failure.reason}`
  return finalize(room, { ...state, failure }, 'agent_failed', statements, detail)
}

/** The current node has answered. */
export function takeNodeAnswer(room: RoomFacts, state: WorkflowState, answer: Answer): Step {
  const { currentNode, phase } = state
  const { agent, status, error } = answer
  if (status === 'stopped') return finalize(room, state, 'canceled', [{ answerOf: agent }])
  if (status === 'skipped') return fail(room, state, textsOf(room).skipped, [])
  // a fault of the model is no verdict, not even an unusable one
  const isVerdict = phase === 'implementation' && currentNode !== 'coder' && error?.code === 'reply_invalid'
  if (status === 'failed' && !isVerdict)
    return fail(room, state, error?.message ?? error?.code ?? status, [{ answerOf: agent }])
  if (phase === 'proposal') return discuss(room, state, answer)
  switch (currentNode) {
    case 'coder':
      return takeReport(room, state, answer)
    case 'reviewer':
      return takeReview(room, state, answer)
    case 'tester':
      return takeTestPlan(room, state, answer)
  }
}

/** In a proposal each agent speaks once, and then a person is asked. */
function discuss(room: RoomFacts, state: WorkflowState, { agent, text }: Answer): Step {
  const proposal = { ...state.proposal, [state.currentNode]: bounded(text) }
  const next = { ...withProposal(state, proposal), ...nextNode(state) }
  const statements: Statement[] = [{ answerOf: agent }]
  if (state.currentNode !== 'tester') return work(room, next, statements)
  const lastOutcome = 'await_operator_confirm'
  const question = { text: textsOf(room).outcomes[lastOutcome] }
  return rest(room, { ...next, lastOutcome, waiting: true }, [...statements, question])
}

function nextNode({ currentNode, completedNodes }: WorkflowState) {
  return {
    currentNode: nodes[nodes.indexOf(currentNode) + 1] ?? currentNode,
    completedNodes: [...completedNodes, currentNode],
  }
}

const takeReport = (room: RoomFacts, state: WorkflowState, { agent, text }: Answer): Step =>
  work(room, { ...state, ...nextNode(state), report: bounded(text) }, [{ answerOf: agent }])

function takeReview(room: RoomFacts, state: WorkflowState, { agent, status, data }: Answer): Step {
  const review = status === 'said' ? readReview(data) : undefined
  if (review === undefined)
    return finalize(room, state, 'review_schema_invalid', status === 'failed' ? [{ answerOf: agent }] : [])
  const statements = [{ agent, text: toReviewText(textsOf(room), review) }]
  if (review.decision === 'changes_requested')
    return iterate(room, { ...state, mustFix: review.must_fix }, 'changes_requested', statements)
  const approved = { mustFix: [], suggestedTests: review.tests, feedback: undefined }
  return work(room, { ...state, ...nextNode(state), ...approved }, statements)
}

function takeTestPlan(room: RoomFacts, state: WorkflowState, { agent, status, data }: Answer): Step {
  const plan = status === 'said' ? readTestPlan(data) : undefined
  if (plan === undefined)
    return iterate(room, state, 'tester_schema_invalid', status === 'failed' ? [{ answerOf: agent }] : [])
  const texts = textsOf(room)
  const statements = [{ agent, text: toPlanText(texts, plan) }]
  if (plan.commands.length === 0) return askTesterAgain(room, state, 'no_commands', statements)
  const text = texts.routing.commands(plan.commands.length)
  return { ...rest(room, state, statements, text), commands: plan.commands }
}

/** Once; without a command that runs nothing was tested, which is not the same as having passed. */
function askTesterAgain(
  room: RoomFacts,
  state: WorkflowState,
  feedback: NonNullable<WorkflowState['feedback']>,
  statements: readonly Statement[],
): Step {
  const noted = { ...state, feedback }
  if (!state.testerAskedAgain) return work(room, { ...noted, testerAskedAgain: true }, statements)
  return finalize(
    room,
    noted,
    feedback === 'blocked' ? 'tester_command_blocked' : 'no_test_commands',
    statements,
  )
}

/** The commands of the tester were run. */
export function takeTests(room: RoomFacts, before: WorkflowState, outcomes: readonly CommandOutcome[]): Step {
  const texts = textsOf(room)
  const tests = toTests(outcomes)
  const state = { ...before, tests }
  const statements = [{ text: toTestLines(texts, tests, maxLoggedOutput) }]
  const commands = failedCommands(tests)
  const failed = {
    ...state,
    failed: { round: state.round, commands },
    mustFix: commands.map(texts.commandFailed),
  }
  switch (judgeTests(before, tests)) {
    case 'passed':
      return finalize(room, { ...state, completedNodes: [...nodes] }, 'approved', statements)
    case 'failed':
      return iterate(room, failed, 'tests_failed', statements)
    case 'failed_again':
      return finalize(room, failed, 'repeated_test_failure', statements)
    case 'ask_again':
      return askTesterAgain(room, state, 'blocked', statements)
    case 'blocked':
      return finalize(room, { ...state, feedback: 'blocked' }, 'tester_command_blocked', statements)
  }
}

/** The coder gets the feedback, while there are rounds left. */
function iterate(
  room: RoomFacts,
  state: WorkflowState,
  cause: NonNullable<WorkflowState['cause']>,
  statements: readonly Statement[],
): Step {
  const { round, maxRounds } = state
  if (round >= maxRounds) return finalize(room, { ...state, cause }, 'max_iterations_reached', statements)
  const again = {
    round: round + 1,
    currentNode: 'coder',
    completedNodes: [],
    cause,
    lastOutcome: cause,
  } as const
  return work(room, { ...state, ...again, completedNodes: [] }, statements)
}
