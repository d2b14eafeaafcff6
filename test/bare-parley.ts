import { pino } from 'pino'
import { openBase, type Surroundings } from '../src/core/compose/infrastructure.ts'
import { readOptions } from '../src/core/compose/check-options.ts'
import { composeParley, type Composed } from '../src/core/compose/compose.ts'
import type { ParleyOptions } from '../src/core/compose/options.ts'
import type { Extension } from '../src/core/extension.ts'
import { createCalls } from '../src/core/operations/calls.ts'
import type { OperationCalls } from '../src/operations.ts'
import { checkExtensions } from '../src/core/compose/extensions.ts'
import type { Store } from '../src/core/store/store.ts'
import { createSessionStreams } from '../src/core/chat/session-streams.ts'
import type { Sessions } from '../src/core/chat/session-operations.ts'

export interface BareParley extends AsyncDisposable {
  store: Store
  sessions: Sessions
  composed: Composed
  /** By name, as `createParley` has them; those of extensions that are not there are missing. */
  calls: OperationCalls
}

/** A Parley of the core and these extensions alone. */
export async function openBare(
  given: ParleyOptions,
  extensions: readonly Extension[] = [],
): Promise<BareParley> {
  const surroundings: Surroundings = {
    version: '0.0.0',
    slices: extensions.flatMap(({ store }) => store ?? []),
    retentions: extensions.flatMap(({ retention }) => retention?.(given) ?? []),
    createScopeViewReader: extensions.find((one) => one.createScopeViewReader)?.createScopeViewReader,
    demo: extensions.flatMap(({ demo }) => demo ?? []),
    contextFiles: extensions.flatMap(({ contextFiles }) => contextFiles ?? []),
  }
  checkExtensions(extensions)
  const options = readOptions({ logger: pino({ level: 'silent' }), ...given }, extensions)
  const base = await openBase(options, surroundings)
  const composed = await composeParley(base, options, extensions, surroundings)
  const { store, windows, ids, pages } = base
  const calls = Object.fromEntries(
    composed.operations.map((one) => [one.name, createCalls(one, { store, pages })]),
  ) as unknown as OperationCalls
  return {
    store,
    composed,
    calls,
    sessions: {
      ...calls.sessions,
      ...createSessionStreams({ store, chats: composed.chats, windows, ids }),
    },
    async [Symbol.asyncDispose]() {
      await composed.close()
      await base.close()
    },
  }
}
