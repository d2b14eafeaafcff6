import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deletedAtOnce } from './deleted-sessions.ts'

/** Every table of the core that goes with a session, from the migrations. */
function tablesOfSessions(): string[] {
  const folder = join(import.meta.dirname, '..', 'migrations')
  const text = globSync(join(folder, '*.sql'))
    .filter((file) => !file.endsWith('.postgres.sql'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  return [...text.matchAll(/CREATE TABLE (\w+) \((.*?)\n\);/gs)].flatMap(([, name, columns]) =>
    /REFERENCES sessions \(id\) ON DELETE CASCADE/.test(columns!) ? name! : [],
  )
}

it('names every table of the core that goes with a session, but for those that are swept', () => {
  const swept = ['sessions', 'messages', 'search_documents']
  expect([...Object.keys(deletedAtOnce), ...swept].sort()).toEqual(tablesOfSessions().sort())
})
