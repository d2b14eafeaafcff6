/**
 * The events of a turn for clients of the AI SDK UI. Those answer, with a request of their own, what a turn asks them for,
 * and do so when the stream has ended: it ends where nothing continues without its caller.
 */
import type { AwaitingChunk, Chunk, RunEvent } from '../core/protocol/chunk.ts'
import type { CallerTool } from '../core/protocol/awaited-call.ts'
import type { Run } from '../core/store/queries/run-row.ts'
import type { Store } from '../core/store/store.ts'

/** Where the client left the turn: at the calls that it answers. */
export interface LeftAt {
  after: number
  callIds: readonly string[]
}

interface StreamOptions {
  run: Pick<Run, 'scope'>
  callerTools?: readonly CallerTool[]
  /** Begins with what followed. */
  leftAt?: LeftAt
}

export async function* forUiClient(
  store: Store,
  batches: AsyncGenerator<RunEvent[]>,
  { run, callerTools = [], leftAt }: StreamOptions,
): AsyncGenerator<RunEvent[]> {
  const names = new Set(callerTools.map(({ name }) => name))
  const calls = trackCalls(names)
  let isSkipping = leftAt !== undefined
  for await (const events of batches) {
    const sent: RunEvent[] = []
    for (const event of events) {
      calls.take(event.chunk)
      if (!isSkipping || isEnd(event.chunk)) sent.push({ ...event, chunk: named(event.chunk, names) })
      else if (calls.waits() && leftAt?.callIds.some((id) => calls.open.has(id))) isSkipping = false
    }
    const isLeft = !isSkipping && calls.waits() && (await isStillWaiting(store, run, calls))
    if (isLeft) sent.push({ seq: events.at(-1)!.seq, chunk: { type: 'finish', finishReason: 'tool-calls' } })
    if (sent.length > 0) yield sent
    if (isLeft) return
  }
}

const isEnd = ({ type }: Chunk) => type === 'finish' || type === 'error' || type === 'abort'

type TrackedCalls = ReturnType<typeof trackCalls>

/** Follows which calls of the current step are open, and whether all of them wait for the caller. */
function trackCalls(callerTools: ReadonlySet<string>) {
  /** By id: the name of the tool. */
  const open = new Map<string, string>()
  /** By the id of the call: that of the ask. */
  const asked = new Map<string, string>()
  /** The calls whose results the turn let go of its run for. */
  let awaited: string[] = []
  return {
    open,
    asked: () => [...asked.values()],
    awaited: () => awaited,
    take(chunk: Chunk): void {
      // results that it waited for come one after another, and others may be missing still
      if (!chunk.type.startsWith('data-')) awaited = []
      switch (chunk.type) {
        case 'start-step':
          // what an owner of the run left unfinished is repeated
          open.clear()
          asked.clear()
          break
        case 'tool-input-available':
          open.set(chunk.toolCallId, chunk.toolName)
          break
        case 'tool-approval-request':
          asked.set(chunk.toolCallId, chunk.approvalId)
          break
        case 'tool-approval-response':
          for (const [call, ask] of asked) if (ask === chunk.approvalId) asked.delete(call)
          break
        case 'tool-output-available':
        case 'tool-output-error':
        case 'tool-output-denied':
          open.delete(chunk.toolCallId)
          asked.delete(chunk.toolCallId)
          break
        case 'data-awaiting':
          awaited = (chunk as AwaitingChunk).data.calls.map(({ id }) => id)
      }
    },
    waits: () =>
      awaited.length > 0 ||
      (asked.size > 0 && [...open].every(([id, name]) => asked.has(id) || callerTools.has(name))),
  }
}

/** What is replayed may have been answered long ago, and the turn may wait for something else by now. */
async function isStillWaiting(
  store: Store,
  { scope }: Pick<Run, 'scope'>,
  { asked, awaited }: Pick<TrackedCalls, 'asked' | 'awaited'>,
): Promise<boolean> {
  for (const id of asked()) if ((await store.getApproval(scope, id))?.status === 'pending') return true
  for (const id of awaited()) if ((await store.getAwaitedCall(scope, id))?.status === 'waiting') return true
  return false
}

/** The tools of the caller are those that its page knows: for the AI SDK they are not dynamic. */
function named(chunk: Chunk, callerTools: ReadonlySet<string>): Chunk {
  if (!('toolName' in chunk) || !callerTools.has(chunk.toolName)) return chunk
  const { dynamic: _, ...known } = chunk
  return known as Chunk
}
