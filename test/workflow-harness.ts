import { createSessionTypes } from '../src/core/chat/session-types.ts'
import { pino } from 'pino'
import type { Caller } from '../src/core/sessions/caller.ts'
import { createIds } from '../src/core/shared/ids.ts'
import type { Store } from '../src/core/store/store.ts'
import type { Tool, ToolContext } from '../src/core/tools/tool.ts'
import { defaultWorkflowLimits, type WorkflowDeps } from '../src/extensions/workflow/workflow-service.ts'
import { createWorkflowFiles, type WorkflowFiles } from '../src/extensions/workflow/workflow-files.ts'
import { steppedClock, type OpenDatabase, type TestDatabase } from './harness.ts'

/** A definition of one step, with a prompt that tells versions apart. */
export const definition = (name: string, prompt = 'Say hello.', more = '') =>
  `name: ${name}\n${more}steps:\n  - id: say\n    type: agent\n    prompt: ${prompt}\n`

export interface TestWorkflows extends AsyncDisposable {
  store: Store
  deps: WorkflowDeps
  /** What was logged as a problem. */
  problems: string[]
  person: Caller
  in(scope: string): Caller
  files(): WorkflowFiles
  /** A call of a tool in a session; the same name is the same call. */
  call(tool: Tool, sessionId: string, input: unknown, name?: string): Promise<Record<string, unknown>>
  /** What was told since the last look, by type. */
  newEvents(type: string): Promise<Record<string, unknown>[]>
}

/** A store with a scope, and what people and models do with its workflows; nothing runs. */
export async function openWorkflows(
  openDatabase: OpenDatabase,
  { root, database: given }: { root?: string; database?: TestDatabase } = {},
): Promise<TestWorkflows> {
  const database = given ?? (await openDatabase())
  const clock = steppedClock()
  const store = await database.open(clock)
  await store.ensureScope('default', root)
  const problems: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void problems.push(line) })
  const unused = (): never => {
    throw new Error('Nothing runs here.')
  }
  const deps: WorkflowDeps = {
    store,
    clock,
    ids: createIds(clock),
    limits: defaultWorkflowLimits,
    types: createSessionTypes(),
    background: { triggerIn: unused } as unknown as WorkflowDeps['background'],
    requireModel: () => ({}),
    readMode: unused,
    doLinkedAction: unused,
  }
  const inScope = (scope: string): Caller => ({
    scope,
    actor: { type: 'user', id: 'ann' },
    seesAllScopes: true,
  })
  let calls = 0
  let seen = 0
  return {
    store,
    deps,
    problems,
    person: inScope('default'),
    in: inScope,
    files: () => createWorkflowFiles(deps, { logger }),
    async call(tool, sessionId, input, name = `call-${++calls}`) {
      const context: ToolContext = {
        scope: 'default',
        sessionId,
        runId: `run_of_${sessionId}`,
        toolCallId: name,
        workspaces: { granted: [] },
        signal: new AbortController().signal,
      }
      return (await tool.execute(tool.input.parse(input), context)) as Record<string, unknown>
    },
    async newEvents(type) {
      const events = await store.listEvents('default', { after: seen, limit: 1_000 })
      seen = events.at(-1)?.seq ?? seen
      return events.filter((event) => event.type === type).map(({ data }) => data)
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      if (!given) await database[Symbol.asyncDispose]()
    },
  }
}
