import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import {
  createCronSchema,
  cronFirePageSchema,
  cronFireSchema,
  cronListQuerySchema,
  cronPageSchema,
  cronPreviewSchema,
  cronSchema,
  fireListQuerySchema,
  previewCronSchema,
  updateCronSchema,
} from './protocol/cron.ts'
import {
  createEventHookSchema,
  eventHookListQuerySchema,
  eventHookPageSchema,
  eventHookSchema,
  updateEventHookSchema,
} from './protocol/event-hook.ts'
import { inScopeSchema } from '../../core/protocol/names.ts'
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
import {
  createEventHook,
  deleteEventHook,
  getEventHook,
  listEventHooks,
  updateEventHook,
} from './event-hooks.ts'
import { triggerCron } from './trigger-cron.ts'
import type { ScheduleDeps } from './schedule-service.ts'

const crons = operationsOf<ScheduleDeps>('crons')
const actionSchema = inScopeSchema.meta({ id: 'CronAction' })

export const cronOperations = {
  /** When a schedule would fire; stores nothing. */
  preview: crons.write('POST', '/api/crons/preview', {
    summary: 'Preview when a schedule fires, on the clocks of its zone; stores nothing',
    input: previewCronSchema,
    output: cronPreviewSchema,
    returns: 'The next fires',
    run: ({ deps }, _, input) => previewCron(deps, input),
  }),
  create: crons.write('POST', '/api/crons', {
    summary: 'Create a cron: a prompt that starts a background session by time',
    input: createCronSchema,
    output: cronSchema,
    status: 201,
    returns: 'The cron',
    run: ({ tx, deps, caller }, _, input) => createCron(deps, tx, caller, input),
  }),
  /** Newest first, one page. */
  list: crons.read('/api/crons', {
    summary: 'List crons, newest first',
    input: cronListQuerySchema,
    output: cronPageSchema,
    returns: 'A page of crons',
    run: ({ tx, pages, caller }, _, filter) => listCrons(tx, pages, caller, filter),
  }),
  get: crons.read('/api/crons/{id}', {
    summary: 'Get a cron',
    output: cronSchema,
    returns: 'The cron',
    run: ({ tx, caller }, { id }) => getCron(tx, caller, id),
  }),
  update: crons.write('PATCH', '/api/crons/{id}', {
    summary: 'Change a cron; a new schedule counts from now',
    input: updateCronSchema,
    output: cronSchema,
    returns: 'The cron as it is now',
    run: ({ tx, deps, caller }, { id }, patch) => updateCron(deps, tx, caller, id, patch),
  }),
  /** Deletes its fires too; the sessions that they started stay. */
  delete: crons.remove('/api/crons/{id}', {
    summary: 'Delete a cron with its fires; the sessions that they started stay',
    returns: 'Deleted',
    run: ({ tx, caller }, { id }) => deleteCron(tx, caller, id),
  }),
  pause: crons.write('POST', '/api/crons/{id}/pause', {
    summary: 'Pause a cron; running sessions are not stopped',
    input: actionSchema,
    output: cronSchema,
    returns: 'The cron as it is now',
    run: ({ tx, caller }, { id }) => pauseCron(tx, caller, id),
  }),
  /** Resumes from now: what was missed meanwhile is not made up for. */
  resume: crons.write('POST', '/api/crons/{id}/resume', {
    summary: 'Resume a cron from now, with the count of failures reset',
    input: actionSchema,
    output: cronSchema,
    returns: 'The cron as it is now',
    run: ({ tx, deps, caller }, { id }) => resumeCron(deps, tx, caller, id),
  }),
  /** Fires it now, regardless of its schedule. */
  trigger: crons.write('POST', '/api/crons/{id}/trigger', {
    summary: 'Fire a cron now, regardless of its schedule',
    input: actionSchema,
    output: cronFireSchema,
    status: 201,
    returns: 'The fire',
    refuses: { 429: 'Too many background sessions are running' },
    async run({ tx, deps, caller, later }, { id }) {
      const { fire, settle } = await triggerCron(deps, tx, caller, id)
      // what it replaces is ended once it is stored
      later(settle)
      return fire
    },
  }),
  /** Newest first: what was fired, and why a time was not. */
  fires: crons.read('/api/crons/{id}/fires', {
    summary: 'List what was fired, and why a time was not, newest first',
    input: fireListQuerySchema,
    output: cronFirePageSchema,
    returns: 'A page of fires',
    run: ({ tx, pages, caller }, { id }, filter) => listFires(tx, pages, caller, id, filter),
  }),
}

/** Operations on crons: the same calls in the process and over HTTP. */
export type Crons = Calls<typeof cronOperations>

const eventHooks = operationsOf<ScheduleDeps>('event hooks')

export const eventHookOperations = {
  create: eventHooks.write('POST', '/api/event-hooks', {
    summary: 'Create an event hook: a prompt that starts a background session when something happens',
    input: createEventHookSchema,
    output: eventHookSchema,
    status: 201,
    returns: 'The event hook',
    run: ({ tx, deps, caller }, _, input) => createEventHook(deps, tx, caller, input),
  }),
  /** Newest first, one page. */
  list: eventHooks.read('/api/event-hooks', {
    summary: 'List event hooks, newest first',
    input: eventHookListQuerySchema,
    output: eventHookPageSchema,
    returns: 'A page of event hooks',
    run: ({ tx, pages, caller }, _, filter) => listEventHooks(tx, pages, caller, filter),
  }),
  get: eventHooks.read('/api/event-hooks/{id}', {
    summary: 'Get an event hook',
    output: eventHookSchema,
    returns: 'The event hook',
    run: ({ tx, caller }, { id }) => getEventHook(tx, caller, id),
  }),
  update: eventHooks.write('PATCH', '/api/event-hooks/{id}', {
    summary: 'Change an event hook, pause it, or make it active again',
    input: updateEventHookSchema,
    output: eventHookSchema,
    returns: 'The event hook as it is now',
    run: ({ tx, deps, caller }, { id }, patch) => updateEventHook(deps, tx, caller, id, patch),
  }),
  delete: eventHooks.remove('/api/event-hooks/{id}', {
    summary: 'Delete an event hook; the sessions that it started stay',
    returns: 'Deleted',
    run: ({ tx, caller }, { id }) => deleteEventHook(tx, caller, id),
  }),
}

/** Rules that start background sessions when something happens: the same calls in the process and over HTTP. */
export type EventHooks = Calls<typeof eventHookOperations>
