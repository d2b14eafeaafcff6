import type { ApprovalFacets } from '../protocol/facets.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Access, Tool, ToolContext } from './tool.ts'

export interface GuardedCall extends Omit<ToolContext, 'workspaces' | 'changes' | 'agreed' | 'mayContinue'> {
  tool: Tool
  input: unknown
  /** Where nobody could answer, what would be asked is refused. */
  isHeadless: boolean
  /** Called when a person is asked, before the wait begins: it must be stored and seen by then. */
  onAsk(ask: { id: string; reason: string }): Promise<void>
  /** Called after the wait, before the call is made. */
  onAnswer(answer: { id: string; approved: boolean; reason?: string }): Promise<void>
}

/** Why a call is not made. */
export interface Refused {
  /** What the model receives. */
  message: string
  /** Who refused: a rule or a mode, a hook, a person, the clock, or that nobody was there. */
  by: 'rule' | 'hook' | 'person' | 'timeout' | 'headless'
  /** True when somebody was asked. */
  wasAsked: boolean
  notes?: readonly HookNote[]
}

/** The ids of hooks that had a part in a call, for the record. */
export interface HookTrace {
  /** That allowed it, forbade it or had a person asked. */
  decidedBy?: string
  changedBy?: readonly string[]
}

/** What a hook adds for the model to the result of a call. */
export interface HookNote {
  hook: string
  text: string
}

/** What came of a call. */
export type CallOutcome = { value: unknown } | { error: unknown }

export interface Admitted {
  /** What the call is made with, as the tool reads it: nobody reads it again. A person or a hook may have changed it. */
  input: unknown
  /** Left out where the call is nobody's concern. */
  access?: Access
  /** Who allowed it, when somebody was asked, and what they were shown of it. */
  approvedBy?: string
  agreed?: ApprovalFacets
  hooks?: HookTrace
  notes?: readonly HookNote[]
}

/** What the model is to see of a call. */
export interface ReviewedCall {
  outcome: CallOutcome
  notes: readonly HookNote[]
}

/** Checks each call before it is made, and waits for a person where one has to decide. */
export interface CallGuard {
  admit(call: GuardedCall): Promise<Admitted | { refused: Refused }>
  /**
   * Whether an admitted call may follow a redirect to another address: not where rules, or a session that
   * does not ask, would have decided differently about that one. Default: yes.
   */
  mayContinue?(call: GuardedCall, admitted: Admitted, resource: string): Promise<boolean>
  /** Around an admitted call, for those who watch; without it the work is just done. */
  make?(call: GuardedCall, work: () => Promise<CallOutcome>): Promise<CallOutcome>
  /** After an admitted call: for the record, and for hooks that change what the model sees of it. */
  done?(call: GuardedCall, admitted: Admitted, outcome: CallOutcome): Promise<ReviewedCall>
  /** In the transaction of the end of a run: what it asked needs no answer any more. */
  onEnd?(tx: StoreOperations, runId: string): Promise<void>
}
