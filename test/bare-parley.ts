import { pino } from 'pino'
import { openBase, type Surroundings } from '../src/core/compose/infrastructure.ts'
import { readOptions } from '../src/core/compose/check-options.ts'
import { composeParley, type Composed } from '../src/core/compose/compose.ts'
import type { ParleyOptions } from '../src/core/compose/options.ts'
import type { Extension } from '../src/core/extension.ts'
import { createCalls } from '../src/core/operations/calls.ts'
import type { Store } from '../src/core/store/store.ts'
import { createSessionStreams } from '../src/core/chat/session-streams.ts'
import type { Sessions } from '../src/core/chat/session-operations.ts'

export interface BareParley extends AsyncDisposable {
  store: Store
  sessions: Sessions
  composed: Composed
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
  }
  const options = readOptions({ logger: pino({ level: 'silent' }), ...given }, extensions)
  const base = await openBase(options, surroundings)
  const composed = await composeParley(base, options, extensions, surroundings)
  const { store, windows, ids, pages } = base
  const bound = composed.operations.find(({ name }) => name === 'sessions')!
  const calls = createCalls(bound, { store, pages }) as Omit<
    Sessions,
    keyof ReturnType<typeof createSessionStreams>
  >
  return {
    store,
    composed,
    sessions: {
      ...calls,
      ...createSessionStreams({ store, chats: composed.chats, windows, ids }),
    } as Sessions,
    async [Symbol.asyncDispose]() {
      await composed.close()
      await base.close()
    },
  }
}
