import { createParley, type Parley, type ParleyOptions } from '../../src/parley.ts'
import { temporaryFolder, toOptions, type OpenDatabase } from '../harness.ts'
import { textOf } from './samples.ts'

export interface OpenParley extends AsyncDisposable {
  parley: Parley
}

export async function openHere(options: ParleyOptions = {}): Promise<OpenParley> {
  const folder = temporaryFolder()
  const parley = await createParley({ dataDir: folder.path, ...options })
  return {
    parley,
    async [Symbol.asyncDispose]() {
      await parley.close()
      folder[Symbol.dispose]()
    },
  }
}

export async function openOn(openDatabase: OpenDatabase): Promise<OpenParley> {
  const database = await openDatabase()
  const parley = await createParley(toOptions(database))
  return {
    parley,
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

export const asFile = (value: unknown) => new Blob([JSON.stringify(value)])
export const asLines = (rows: readonly unknown[]) =>
  new Blob([rows.map((row) => `${JSON.stringify(row)}\n`).join('')])

export async function messagesOf({ sessions }: Parley, id: string) {
  return (await sessions.messages(id, { limit: 200 })).items
}

/** What was said, by its sessions in the order of their ids in the report. */
export async function textsIn(parley: Parley): Promise<string[][]> {
  const { items } = await parley.sessions.list({ variants: 'all', limit: 200, archived: 'all' })
  const oldest = items.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
  return Promise.all(
    oldest.map(async ({ id }) => (await messagesOf(parley, id)).map(({ parts }) => textOf(parts))),
  )
}

export const onlySession = async ({ sessions }: Parley) => {
  const { items } = await sessions.list({ archived: 'all' })
  if (items.length !== 1) throw new Error(`There are ${items.length} sessions, not one.`)
  return items[0]!
}

export const notesOf = ({ notes }: { notes: readonly { kind: string; count: number }[] }) =>
  Object.fromEntries(notes.map(({ kind, count }) => [kind, count]))
