import {
  createCronSchema,
  cronListQuerySchema,
  fireListQuerySchema,
  previewCronSchema,
  updateCronSchema,
  type Crons,
} from '../protocol/cron.ts'
import {
  createEventHookSchema,
  eventHookListQuerySchema,
  updateEventHookSchema,
  type EventHooks,
} from '../protocol/event-hook.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import {
  createCron,
  deleteCron,
  getCron,
  listCrons,
  listFires,
  pauseCron,
  previewCron,
  resumeCron,
  updateCron,
} from './crons.ts'
import type { ScheduleDeps } from './deps.ts'
import {
  createEventHook,
  deleteEventHook,
  getEventHook,
  listEventHooks,
  updateEventHook,
} from './event-hooks.ts'
import { triggerCron } from './trigger-cron.ts'

/** The crons of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createCrons(deps: ScheduleDeps, limits: PageLimits): Crons {
  const { store } = deps
  return {
    create: async (input) => {
      const { scope, ...fields } = check(createCronSchema, input)
      return createCron(deps, store, callerIn({ scope }), fields)
    },
    get: async (id, options) => getCron(store, callerIn(options), id),
    list: async (query = {}) => listCrons(store, limits, callerIn(query), check(cronListQuerySchema, query)),
    update: async (id, patch) => updateCron(deps, store, callerIn(patch), id, check(updateCronSchema, patch)),
    delete: async (id, options) => deleteCron(store, callerIn(options), id),
    pause: async (id, options) => pauseCron(store, callerIn(options), id),
    resume: async (id, options) => resumeCron(deps, store, callerIn(options), id),
    trigger: async (id, options) => {
      const { fire, settle } = await triggerCron(deps, store, callerIn(options), id)
      await settle()
      return fire
    },
    fires: async (id, query = {}) =>
      listFires(store, limits, callerIn(query), id, check(fireListQuerySchema, query)),
    preview: async (input) => previewCron(deps, check(previewCronSchema, input)),
  }
}

/** The same for event hooks. */
export function createEventHooks(deps: ScheduleDeps, limits: PageLimits): EventHooks {
  const { store } = deps
  return {
    create: async (input) => {
      const { scope, ...fields } = check(createEventHookSchema, input)
      return createEventHook(deps, store, callerIn({ scope }), fields)
    },
    get: async (id, options) => getEventHook(store, callerIn(options), id),
    list: async (query = {}) =>
      listEventHooks(store, limits, callerIn(query), check(eventHookListQuerySchema, query)),
    update: async (id, patch) =>
      updateEventHook(deps, store, callerIn(patch), id, check(updateEventHookSchema, patch)),
    delete: async (id, options) => deleteEventHook(store, callerIn(options), id),
  }
}
