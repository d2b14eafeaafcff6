import type { StoreOperations } from '../store/store.ts'
import type { Access, Tool, ToolContext } from './tool.ts'

export interface GuardedCall extends Omit<ToolContext, 'workspaces' | 'changes'> {
  tool: Tool
  input: unknown
  /** Where nobody could answer, what would be asked is refused. */
  isHeadless: boolean
  /** Told when a person is asked, before the wait begins: it must be stored and seen by then. */
  onAsk(ask: { id: string; reason: string }): Promise<void>
  /** Told when the wait is over, before the call is made. */
  onAnswer(answer: { id: string; approved: boolean; reason?: string }): Promise<void>
}

/** Why a call is not made. */
export interface Refused {
  /** What the model is told. */
  message: string
  /** Who said no: a rule or a mode, a person, the clock, or nobody being there. */
  by: 'rule' | 'person' | 'timeout' | 'headless'
  /** True when somebody was asked. */
  wasAsked: boolean
}

export interface Admitted {
  /** What the call is made with; a person may have changed it. */
  input: unknown
  /** Left out where the call is nobody's concern. */
  access?: Access
  /** Who allowed it, when somebody was asked. */
  approvedBy?: string
}

/** Looks at each call before it is made, and waits for a person where one has to decide. */
export interface CallGuard {
  admit(call: GuardedCall): Promise<Admitted | { refused: Refused }>
  /** After an admitted call, for the record. */
  done?(call: GuardedCall, admitted: Admitted, result: 'success' | 'error'): Promise<void>
  /** In the transaction of the end of a run: what it asked needs no answer any more. */
  onEnd?(tx: StoreOperations, runId: string): Promise<void>
}
