import type { Core, RunKind } from 'parley/extension'
import { closeIfOpen } from './verbs.ts'

/**
 * Closes a poll when its time has come. Between two passes nobody owns the run: it is parked in the store, and any
 * process that is running when it wakes continues it, even after a crash.
 */
export const createClosing = ({
  store,
  clock,
  whyStopped,
}: Pick<Core, 'store' | 'clock' | 'whyStopped'>): RunKind => ({
  async execute({ run, lease, signal }) {
    const { pollId } = run.input as { pollId: string }
    if (whyStopped(signal, run)) return store.finishRun(lease, { status: 'cancelled' })
    const poll = await store.getPoll(run.scope, pollId)
    if (poll?.closedAt === undefined && poll?.closesAt !== undefined && poll.closesAt > clock.now()) {
      // whoever closes it meanwhile wakes this run, which then checks again
      await store.parkRun(lease, { wakeAt: poll.closesAt })
      return 'waits'
    }
    // the poll is closed and the run ended together, or neither
    await store.transaction(async (tx) => {
      if (poll) await closeIfOpen(tx, poll)
      await tx.finishRun(lease, { status: 'completed' })
    })
  },
  giveUp: ({ lease }, { code, message }) =>
    store.finishRun(lease, { status: 'failed', outcome: { code, message } }),
})
