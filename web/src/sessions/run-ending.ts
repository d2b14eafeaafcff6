import { isGap, type EventFrame } from '../../../src/client/index.ts'

/** A run that is over, as one event tells it; a background run has two such events with the same run. */
export interface RunEnding {
  runId: string
  sessionId: string
  isFailure: boolean
}

/** Undefined for other events, and for what somebody stopped: whoever did that knows. */
export function endingOf(event: EventFrame): RunEnding | undefined {
  if (isGap(event) || event.sessionId === undefined) return undefined
  const { runId, status } = event.data
  const [, ending = event.type === 'run-finished' ? status : undefined] =
    /^bg:session\.(completed|failed|timeout)$/.exec(event.type) ?? []
  if (typeof runId !== 'string' || typeof ending !== 'string' || ending === 'cancelled') return undefined
  return { runId, sessionId: event.sessionId, isFailure: ending !== 'completed' }
}

/** A call that waits for somebody's yes or no. */
export interface AskedFor {
  approvalId: string
  sessionId: string
  /** Of a task: the session that started it, which shows the ask too. */
  parentSessionId?: string
}

export function askOf(event: EventFrame): AskedFor | undefined {
  if (isGap(event) || event.type !== 'approval-requested' || event.sessionId === undefined) return undefined
  const { approvalId, parentSessionId } = event.data
  if (typeof approvalId !== 'string') return undefined
  return {
    approvalId,
    sessionId: event.sessionId,
    ...(typeof parentSessionId === 'string' && { parentSessionId }),
  }
}

export interface Onlooker {
  /** The session that is open in this tab. */
  sessionId?: string
  /** Whether the page with all asks is open in this tab. */
  seesAsks?: boolean
  /** Whether the tab is seen. */
  isVisible: boolean
  /** Whether the person allowed notifications of the system. */
  isAllowed: boolean
}

export interface Telling {
  /** Seen as it happened: no other tab has to tell it. */
  isSeen: boolean
  toast: boolean
  system: boolean
  /** Who is nearer to the person goes first, and what is told once is not told again. */
  delayMs: number
}

export function decideTelling(
  happened: Pick<RunEnding, 'sessionId'> | AskedFor,
  onlooker: Onlooker,
): Telling {
  if (!onlooker.isVisible) return { isSeen: false, toast: false, system: onlooker.isAllowed, delayMs: 500 }
  const isAsk = 'approvalId' in happened
  const isSeen =
    onlooker.sessionId === happened.sessionId ||
    (isAsk && (onlooker.seesAsks === true || isOpen(happened.parentSessionId, onlooker)))
  return { isSeen, toast: !isSeen, system: false, delayMs: isSeen ? 0 : 100 }
}

const isOpen = (sessionId: string | undefined, onlooker: Onlooker) =>
  sessionId !== undefined && sessionId === onlooker.sessionId

const countPattern = /^\(\d+\) /

/** The title of the page with how many sessions wait for a look. */
export function withCount(title: string, count: number): string {
  const plain = title.replace(countPattern, '')
  return count === 0 ? plain : `(${count}) ${plain}`
}
