import { createCronSchema } from './protocol/cron.ts'
import { notFound } from '../../core/protocol/error.ts'
import { check } from '../../core/operations/calls.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { CronControl } from './cron-tool.ts'
import type { ToolContext } from '../../core/tools/tool.ts'
import {
  createCron,
  deleteCron,
  getCron,
  listCrons,
  listFires,
  pauseCron,
  previewCron,
  resumeCron,
} from './crons.ts'
import type { ScheduleCaller, ScheduleDeps } from './schedule-service.ts'
import { triggerCron } from './trigger-cron.ts'

const maxCrons = 100
const newestFires = 10
const limits = { pageSize: maxCrons }

/**
 * Crons as the tool of a model sees them: in a conversation all of the scope, since a person is watching; in a
 * background session those that it made itself, and no others.
 */
export function createCronControl(deps: ScheduleDeps): CronControl {
  const { store } = deps

  const toCaller = ({ scope, sessionId }: ToolContext): ScheduleCaller => ({
    scope,
    sessionId,
    actor: { type: 'agent', id: sessionId },
  })

  const isAlone = async (tx: StoreOperations, { scope, sessionId }: ToolContext) =>
    (await tx.requireSession(scope, sessionId)).kind === 'background'

  const requireVisible = async (tx: StoreOperations, context: ToolContext, id: string): Promise<void> => {
    const { createdIn } = await tx.requireCron(context.scope, id)
    if (createdIn !== context.sessionId && (await isAlone(tx, context))) throw notFound('cron', id)
  }

  /** The effect and its answer are stored together under the id of the call. */
  const once = <Answer>(
    context: ToolContext,
    work: (tx: StoreOperations) => Promise<Answer>,
  ): Promise<Answer> =>
    store.transaction(async (tx) => {
      const { scope, runId, toolCallId } = context
      const key = `tool:${runId}:${toolCallId}`
      const earlier = await tx.reserveIdempotencyKey(scope, key, 'cron')
      if (earlier !== undefined) return earlier as Answer
      const answer = await work(tx)
      await tx.saveIdempotentAnswer(scope, key, answer ?? null)
      return answer
    })

  return {
    create: (context, input) =>
      once(context, async (tx) => {
        // a background session has ended when the result comes: nobody would be notified
        const { announceTarget, ...rest } = check(createCronSchema, input)
        const wanted = (await isAlone(tx, context)) ? rest : { ...rest, announceTarget }
        return createCron(deps, tx, toCaller(context), wanted)
      }),

    async list(context) {
      const createdIn = (await isAlone(store, context)) ? context.sessionId : undefined
      return (await listCrons(store, limits, toCaller(context), { createdIn, limit: maxCrons })).items
    },

    async get(context, id) {
      await requireVisible(store, context, id)
      const { items } = await listFires(store, limits, toCaller(context), id, { limit: newestFires })
      return { cron: await getCron(store, toCaller(context), id), fires: items }
    },

    pause: (context, id) =>
      once(context, async (tx) => {
        await requireVisible(tx, context, id)
        return pauseCron(tx, toCaller(context), id)
      }),

    resume: (context, id) =>
      once(context, async (tx) => {
        await requireVisible(tx, context, id)
        return resumeCron(deps, tx, toCaller(context), id)
      }),

    async trigger(context, id) {
      let settle = async () => {}
      const fired = await once(context, async (tx) => {
        await requireVisible(tx, context, id)
        const triggered = await triggerCron(deps, tx, toCaller(context), id)
        settle = triggered.settle
        return triggered.fire
      })
      await settle()
      return fired
    },

    delete: (context, id) =>
      once(context, async (tx) => {
        await requireVisible(tx, context, id)
        await deleteCron(tx, toCaller(context), id)
      }),

    preview: (input) => previewCron(deps, input),
  }
}
