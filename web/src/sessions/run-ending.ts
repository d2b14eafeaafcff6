import type { EventFrame } from '../../../src/client/index.ts'
import { toKnown } from '../api/events.ts'

/** A run that is over, as one event tells it; a background run has two such events with the same run. */
export interface RunEnding {
  runId: string
  sessionId: string
  isFailure: boolean
}

/** Undefined for other events, and for what somebody stopped: whoever did that knows. */
export function endingOf(event: EventFrame): RunEnding | undefined {
  const known = toKnown(event)
  if (known?.sessionId === undefined) return undefined
  const { sessionId } = known
  switch (known.type) {
    case 'run-finished': {
      const { runId, status } = known.data
      if (runId === undefined || status === undefined || status === 'cancelled') return undefined
      return { runId, sessionId, isFailure: status !== 'completed' }
    }
    case 'bg:session.completed':
    case 'bg:session.failed':
    case 'bg:session.timeout': {
      const { runId } = known.data
      return runId === undefined
        ? undefined
        : { runId, sessionId, isFailure: known.type !== 'bg:session.completed' }
    }
    default:
      return undefined
  }
}

/** A call that waits for somebody's yes or no. */
export interface AskedFor {
  approvalId: string
  sessionId: string
  /** Of a task: the session that started it, which shows the ask too. */
  parentSessionId?: string
}

export function askOf(event: EventFrame): AskedFor | undefined {
  const known = toKnown(event)
  if (known?.type !== 'approval-requested' || known.sessionId === undefined) return undefined
  const { approvalId, parentSessionId } = known.data
  if (approvalId === undefined) return undefined
  return {
    approvalId,
    sessionId: known.sessionId,
    ...(parentSessionId !== undefined && { parentSessionId }),
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
