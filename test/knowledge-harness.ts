import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import type { AnsweredTriple, GivenTriple } from '../src/extensions/knowledge/protocol/knowledge.ts'
import { createScripted, says, type Script } from './chat-harness.ts'
import { toOptions, type OpenDatabase, type TestDatabase } from './harness.ts'

/** `a > knows > b` is a triple; more fields go behind it. */
export function triple(text: string, more: Partial<GivenTriple> = {}): GivenTriple {
  const [subject = '', predicate = '', object = ''] = text.split('>').map((part) => part.trim())
  return { subject, predicate, object, ...more }
}

export const shown = ({ subject, predicate, object }: Omit<AnsweredTriple, 'score' | 'sources'>) =>
  `${subject} > ${predicate} > ${object}`

export interface OpenedKnowledge extends AsyncDisposable {
  parley: Parley
  database: TestDatabase
  knowledge: Parley['knowledge']
  model: ReturnType<typeof createScripted>
  /** Another Parley on the same store. */
  start(): Promise<Parley>
  import(source: string, texts: string[], options?: { replace?: boolean; scope?: string }): Promise<void>
  /** What a question answers, as `a > knows > b`. */
  ask(query: string, more?: object): Promise<string[]>
}

export async function openKnowledge(
  openDatabase: OpenDatabase,
  script: Script = () => says('Hello'),
  options: Partial<ParleyOptions> = {},
): Promise<OpenedKnowledge> {
  const database = await openDatabase()
  const model = createScripted(script)
  const start = () =>
    createParley({
      ...toOptions(database),
      models: { model: 'scripted/test', extra: { scripted: () => model } },
      shutdownMs: 200,
      ...options,
    })
  const parley = await start()
  const { knowledge } = parley
  return {
    parley,
    database,
    knowledge,
    model,
    start,
    async import(source, texts, more = {}) {
      await knowledge.import({ source, triples: texts.map((text) => triple(text)), ...more })
    },
    async ask(query, more = {}) {
      return (await knowledge.query({ query, ...more })).triples.map(shown)
    },
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
