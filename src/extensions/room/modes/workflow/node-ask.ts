import { attribute } from '../../attribute-speakers.ts'
import { buildWorkflowTaskPrompt } from '../../chat-context.ts'
import type { Ask, RoomFacts } from '../mode.ts'
import { reviewJsonSchema, testPlanJsonSchema } from './verdicts.ts'
import type { WorkflowNode, WorkflowState } from './state.ts'
import { textsOf } from './texts.ts'
import type { WorkflowTexts } from './texts-en.ts'
import { toLines, toSections, toTestLines, type Section } from './wording.ts'

/** What the agent at the current node is asked. Made of the state alone: asked again, it is asked the same. */
export function toNodeAsk(room: RoomFacts, state: WorkflowState, agent: string): Ask {
  const texts = textsOf(room)
  const { phase, currentNode } = state
  const instruction = texts.tasks[phase][currentNode]
  if (phase === 'proposal')
    // nothing is changed before it is confirmed
    return { agent, task: toSections([instruction, taskOf(texts, state)]), withoutTools: true }
  const sections = [instruction, taskOf(texts, state), ...contractOf(texts, state)]
  switch (currentNode) {
    case 'coder':
      return { agent, task: toSections([...sections, ...causeOf(texts, state)]) }
    case 'reviewer':
      return { agent, task: toSections([...sections, reportOf(texts, state)]), schema: reviewJsonSchema() }
    case 'tester':
      return {
        agent,
        task: toSections([...sections, reportOf(texts, state), ...testingOf(texts, room, state)]),
        schema: testPlanJsonSchema(),
      }
  }
}

/** All that the implementation will be held to, for the person who is asked about it. */
export const toContractText = (room: RoomFacts, state: WorkflowState): string =>
  toSections(contractOf(textsOf(room), state))

function taskOf({ headings, droppedMessages }: WorkflowTexts, state: WorkflowState): Section {
  const [task = '', ...followUps] = state.messages
  const note = state.droppedMessages > 0 ? [droppedMessages(state.droppedMessages)] : []
  return [headings.task, buildWorkflowTaskPrompt([task, ...note, ...followUps])]
}

function contractOf({ headings }: WorkflowTexts, { contract }: WorkflowState): Section[] {
  return [
    [`${headings.plan} (${contract.hash})`, saidBy('coder', contract.core_plan)],
    [headings.notes, saidBy('reviewer', contract.notes)],
    [headings.criteria, saidBy('tester', toLines(contract.acceptance_criteria))],
    [headings.constraints, toLines(contract.constraints)],
    [headings.settle, saidBy('reviewer', toLines(contract.must_fix))],
  ]
}

function causeOf(texts: WorkflowTexts, { cause, mustFix, tests }: WorkflowState): (Section | string)[] {
  if (cause === undefined) return []
  const failures = tests.filter(({ status }) => status === 'failed')
  return [
    texts.causes[cause],
    // those of tests that failed are the room's own
    [
      texts.headings.mustFix,
      cause === 'changes_requested' ? saidBy('reviewer', toLines(mustFix)) : toLines(mustFix),
    ],
    [texts.headings.failures, cause === 'tests_failed' ? toTestLines(texts, failures) : ''],
  ]
}

/** What an agent wrote cannot pass for another part of the task. */
const saidBy = (node: WorkflowNode, text: string): string => (text === '' ? '' : attribute(node, text))

const reportOf = ({ headings }: WorkflowTexts, { report }: WorkflowState): Section => [
  headings.report,
  saidBy('coder', report),
]

function testingOf(texts: WorkflowTexts, room: RoomFacts, state: WorkflowState): (Section | string)[] {
  const { suggestedTests, feedback, tests } = state
  return [
    [texts.headings.tests, saidBy('reviewer', toLines(suggestedTests))],
    room.testCommands === undefined ? '' : texts.allowedCommands(room.testCommands),
    feedback === undefined ? '' : texts.feedback[feedback],
    feedback === 'blocked' ? toTestLines(texts, tests) : '',
  ]
}
