import type { Core, RunKind } from 'parley/extension'
import { closePoll } from './verbs.ts'

/**
 * Closes a poll when its time has come. Between two looks nobody holds the run: it is parked in the store, and whichever
 * process is there when it wakes goes on with it, also after a crash.
 */
export const createClosing = ({
  store,
  clock,
  whyStopped,
}: Pick<Core, 'store' | 'clock' | 'whyStopped'>): RunKind => ({
  async execute({ run, lease, signal }) {
    const { pollId } = run.input as { pollId: string }
    if (whyStopped(signal, run)) return store.finishRun(lease, { status: 'cancelled' })
    return store.transaction(async (tx) => {
      // whoever closes it meanwhile comes before this look, or wakes the run that was parked after it
      const poll = await tx.lockPoll(run.scope, pollId)
      const isOpen = poll !== undefined && poll.closedAt === undefined
      if (isOpen && poll.closesAt !== undefined && poll.closesAt > clock.now()) {
        await tx.parkRun(lease, { wakeAt: poll.closesAt })
        return 'waits'
      }
      // closed and ended together, or neither
      if (isOpen) await closePoll(tx, run.scope, pollId)
      await tx.finishRun(lease, { status: 'completed' })
    })
  },
  giveUp: ({ lease }, { code, message }) =>
    store.finishRun(lease, { status: 'failed', outcome: { code, message } }),
})
