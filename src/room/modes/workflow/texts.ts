import type { RoomFacts } from '../mode.ts'
import type { Roles } from './roles.ts'
import type { Outcome, WorkflowNode, WorkflowState } from './state.ts'
import { en } from './texts-en.ts'
import { zh } from './texts-zh.ts'

/** All that the mode says in one language. What is told to agents is here too: they answer in the language of the room. */
export interface WorkflowTexts {
  nodes: Record<WorkflowNode, string>
  /** The rules, to somebody who does these nodes. */
  rules(roles: Roles, own: readonly WorkflowNode[]): string
  /** Where it stands. */
  stands(state: WorkflowState, agent: string | undefined): string
  /** What the one at a node is to do. */
  tasks: Record<WorkflowState['phase'], Record<WorkflowNode, string>>
  sideQuestion: string
  headings: Record<Heading, string>
  /** Why the coder is at it again. */
  causes: Record<NonNullable<WorkflowState['cause']>, string>
  feedback: Record<NonNullable<WorkflowState['feedback']>, string>
  allowedCommands(commands: readonly string[]): string
  droppedMessages(count: number): string
  outcomes: Record<Outcome, string>
  review: Record<'approve' | 'changes_requested', string>
  test(status: 'passed' | 'failed' | 'blocked', detail: string | undefined): string
  /** What has to be fixed when a command failed. */
  commandFailed(command: string): string
  decided(from: string, isApproved: boolean): string
  confirmQuestion: string
  skipped: string
  nobody: string
  /** Why these are asked, or nobody is. */
  routing: {
    node(node: string, agent: string): string
    mention: string
    commands(count: number): string
    over(outcome: string): string
    side: string
    maxReplies(limit: number): string
  }
}

type Heading =
  | 'task'
  | 'plan'
  | 'notes'
  | 'criteria'
  | 'constraints'
  | 'settle'
  | 'report'
  | 'mustFix'
  | 'niceToHave'
  | 'tests'
  | 'security'
  | 'failures'
  | 'commands'
  | 'expected'

export const textsOf = ({ settings }: RoomFacts): WorkflowTexts => (settings.language === 'zh' ? zh : en)
