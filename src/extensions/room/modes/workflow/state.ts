import { z } from 'zod'
import { misfit } from '../../../../core/protocol/issues.ts'
import { contractSchema, proposalSchema, toContract, type Proposal } from './contract.ts'
import { bounded, maxWords } from './bounded.ts'

/** In the order in which they work. */
export const nodes = ['coder', 'reviewer', 'tester'] as const
export type WorkflowNode = (typeof nodes)[number]

/** Why the nodes are run again: the coder sees it. */
const causes = ['changes_requested', 'tests_failed', 'tester_schema_invalid'] as const

export const outcomes = [
  'await_operator_confirm',
  ...causes,
  'approved',
  'declined',
  'canceled',
  'agent_failed',
  'review_schema_invalid',
  'tester_command_blocked',
  'no_test_commands',
  'repeated_test_failure',
  'max_iterations_reached',
] as const
export type Outcome = (typeof outcomes)[number]

const commandOutcomeSchema = z.object({
  command: z.string(),
  status: z.enum(['passed', 'failed', 'blocked']),
  reason: z
    .enum(['command_injection_characters', 'malicious_command', 'allowlist_mismatch', 'not_permitted'])
    .optional(),
  exitCode: z.number().optional(),
  output: z.string().optional(),
})

export const optionsSchema = z.strictObject({
  confirm: z
    .boolean()
    .default(true)
    .meta({ description: 'A plan is discussed and confirmed by a person before anything is done' }),
  maxRounds: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .meta({ description: 'How often the coder is sent back to work, the first time counted' }),
  commandPolicy: z
    .enum(['strict', 'resilient'])
    .default('strict')
    .meta({ description: 'resilient: a tester whose commands are all not on the list is asked once more' }),
  task: z.string().trim().min(1).max(maxWords).optional().meta({ description: 'What is to be done' }),
})

export const stateSchema = z.object({
  ...optionsSchema.omit({ task: true }).shape,
  phase: z.enum(['proposal', 'implementation']),
  /** Whose turn it is; of a state that is finished, who came last. */
  currentNode: z.enum(nodes),
  completedNodes: z.array(z.enum(nodes)),
  /** From 1; a round begins with the coder. */
  round: z.int(),
  /** What the pending answers are: the work of a node, or an answer to a side question. */
  asked: z.enum(['node', 'side']).optional(),
  /** For a person, who confirms the plan or does not. */
  waiting: z.boolean(),
  finished: z.boolean(),
  lastOutcome: z.enum(outcomes).optional(),
  /** Of the outcome `agent_failed`. */
  failure: z.object({ node: z.enum(nodes), reason: z.string() }).optional(),
  /** Why this round is gone through. */
  cause: z.enum(causes).optional(),
  mustFix: z.array(z.string()),
  /** What people said of the task, the oldest first. */
  messages: z.array(z.string()),
  /** So many after the first are not kept any more. */
  droppedMessages: z.int(),
  proposal: proposalSchema,
  contract: contractSchema,
  /** What the coder said of its work. */
  report: z.string(),
  /** What the reviewer would have tested. */
  suggestedTests: z.array(z.string()),
  /** Of the last commands. */
  tests: z.array(commandOutcomeSchema),
  /** What failed last, and in which round. */
  failed: z.object({ round: z.int(), commands: z.array(z.string()) }).optional(),
  /** What was wrong with what the tester named. */
  feedback: z.enum(['blocked', 'no_commands']).optional(),
  /** For that reason it was asked once more, which happens once. */
  testerAskedAgain: z.boolean(),
})
export type WorkflowState = z.infer<typeof stateSchema>

/** The state that a room begins with: nobody works before there is a task. */
export function beginState(given: Record<string, unknown>): WorkflowState {
  const parsed = optionsSchema.safeParse(given)
  if (!parsed.success)
    throw misfit(parsed.error, given, {
      before: 'The mode "workflow" cannot begin.',
      within: ['modeState'],
    })
  const { task, ...options } = parsed.data
  const state = intake({
    ...options,
    ...unworked,
    phase: 'proposal',
    contract: toContract([], {}),
    messages: [],
    droppedMessages: 0,
  })
  return task === undefined ? state : withMessage(state, task)
}

const unworked = {
  currentNode: 'coder',
  completedNodes: [],
  round: 1,
  asked: undefined,
  waiting: false,
  finished: false,
  lastOutcome: undefined,
  failure: undefined,
  cause: undefined,
  mustFix: [],
  proposal: {},
  report: '',
  suggestedTests: [],
  tests: [],
  failed: undefined,
  feedback: undefined,
  testerAskedAgain: false,
} satisfies Partial<WorkflowState>

/** The same task from the beginning: nothing of what was done for it counts any more. */
export function intake(state: WorkflowState): WorkflowState {
  return {
    ...state,
    ...unworked,
    phase: state.confirm ? 'proposal' : 'implementation',
    contract: toContract(state.messages, {}),
  }
}

const maxMessages = 50

/** Takes in what a person said of the task. The first message is never dropped: it is the task. */
export function withMessage(state: WorkflowState, text: string): WorkflowState {
  const [first, ...rest] = [...state.messages, bounded(text)]
  const dropped = Math.max(0, rest.length - (maxMessages - 1))
  const messages = [first!, ...rest.slice(dropped)]
  return {
    ...state,
    messages,
    droppedMessages: state.droppedMessages + dropped,
    contract: toContract(messages, state.proposal, state.contract.constraints),
  }
}

/** With what somebody said of the plan, or on what conditions it was confirmed. */
export function withProposal(
  state: WorkflowState,
  proposal: Proposal,
  constraints: string[] = [],
): WorkflowState {
  return { ...state, proposal, contract: toContract(state.messages, proposal, constraints) }
}
