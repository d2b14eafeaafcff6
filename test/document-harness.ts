import type { DocumentCaller, DocumentLimits } from '../src/extensions/documents/document-caller.ts'
import { defaultDocumentLimits } from '../src/extensions/documents/document-caller.ts'
import { createDocumentTool } from '../src/extensions/documents/document-tool.ts'
import { createRestorers } from '../src/extensions/documents/undo-changes.ts'
import { createTodoTool } from '../src/extensions/documents/todo-tool.ts'
import { createChangeRecorder } from '../src/core/sessions/change-recorder.ts'
import type { Clock } from '../src/core/shared/clock.ts'
import type { Store } from '../src/core/store/store.ts'
import type { ChangeRecorder, Tool, ToolContext } from '../src/core/tools/tool.ts'
import { steppedClock, type OpenDatabase } from './harness.ts'

/** What tools answer, as far as tests look into it. */
export interface Reply {
  id: string
  content: string
  items: Reply[]
}

export interface TestDocuments extends AsyncDisposable {
  store: Store
  clock: Clock & { advance(ms: number): void }
  limits: DocumentLimits
  /** A person. */
  person: DocumentCaller
  /** Another session of the scope. */
  addSession(): Promise<DocumentCaller & { sessionId: string }>
  /** A call of a tool in a session; the same name is the same call. */
  call(
    tool: Tool,
    caller: DocumentCaller & { sessionId: string },
    input: unknown,
    more?: { name?: string; changes?: ChangeRecorder },
  ): Promise<Reply>
  /** What was told since the last look, by type. */
  newEvents(type: string): Promise<Record<string, unknown>[]>
}

/** A store with a scope, and what models and people do with its documents. */
export async function openDocuments(
  openDatabase: OpenDatabase,
  bounds: Partial<DocumentLimits> = {},
): Promise<TestDocuments> {
  const database = await openDatabase()
  const clock = steppedClock()
  const store = await database.open(clock)
  const scope = 'default'
  await store.ensureScope(scope)
  let calls = 0
  let seen = 0
  return {
    store,
    clock,
    limits: { ...defaultDocumentLimits, ...bounds },
    person: { scope, actor: { type: 'user', id: 'ann' } },
    async addSession() {
      const { id: sessionId } = await store.createSession({ scope })
      return { scope, sessionId, actor: { type: 'agent', id: sessionId } }
    },
    async call(tool, { sessionId }, input, { name = `call-${++calls}`, changes } = {}) {
      const context: ToolContext = {
        scope,
        sessionId,
        runId: `run_of_${sessionId}`,
        toolCallId: name,
        workspaces: { granted: [] },
        changes,
        signal: new AbortController().signal,
      }
      return (await tool.execute(tool.input.parse(input), context)) as Reply
    },
    async newEvents(type) {
      const events = await store.listEvents(scope, { after: seen, limit: 1_000 })
      seen = events.at(-1)?.seq ?? seen
      return events.filter((event) => event.type === type).map(({ data }) => data)
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** A session whose turns can be undone; each turn begins where the log is that long. */
export async function openTurns(openDatabase: OpenDatabase) {
  const test = await openDocuments(openDatabase)
  const { store, limits, person } = test
  const session = await test.addSession()
  const [document, todo] = [createDocumentTool(store, limits), createTodoTool(store)]
  const restorers = createRestorers(store)
  const caller = { ...person, seesAllScopes: true }
  return {
    test,
    session,
    inTurn(messageSeq: number) {
      const changes = createChangeRecorder(store, { id: session.sessionId }, messageSeq)
      return {
        document: (input: object) => test.call(document, session, input, { changes }),
        todo: (input: object) => test.call(todo, session, input, { changes }),
      }
    },
    /** As a rollback does; answers what could not be brought back. */
    async undo(messageSeq: number): Promise<string[]> {
      const problems: string[] = []
      for (const snapshot of await store.listSnapshotsSince(session.sessionId, messageSeq)) {
        const restore = restorers[snapshot.kind as 'document' | 'todo_list']
        const problem = await restore(caller, session.sessionId, snapshot)
        if (problem !== undefined) problems.push(problem)
      }
      return problems
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}
