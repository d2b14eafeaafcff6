import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createParley } from '../src/parley.ts'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'

it('imports files, asks, lists and forgets in the local store', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  writeFileSync(
    join(folder.path, 'people.csv'),
    'subject,predicate,object\nAnn,founded,Acme\nBob,joined,Acme\n',
  )
  writeFileSync(
    join(folder.path, 'more.json'),
    '[{"subject": "Acme", "predicate": "位于", "object": "北京"}]',
  )
  writeFileSync(join(folder.path, 'wrong.tsv'), 'Ann\t\tAcme\n')

  const empty = await parley(['knowledge', 'query', 'Ann'])
  expect(empty).toMatchObject({ code: 3, stdout: '' })
  expect(empty.stderr).toContain('parley knowledge import')
  expect(await parley(['knowledge', 'import', 'people.csv'])).toMatchObject({
    code: 0,
    stdout: 'people.csv: 2 added, 0 removed, 2 in all\n',
  })
  const more = await parley(['knowledge', 'import', 'more.json', '--source', 'places', '--replace', '--json'])
  expect(JSON.parse(more.stdout)).toMatchObject({ added: 1, source: { name: 'places' } })
  expect(await parley(['knowledge', 'import', 'wrong.tsv'])).toMatchObject({ code: 2, stdout: '' })
  expect(await parley(['knowledge', 'import', 'missing.csv'])).toMatchObject({ code: 2, stdout: '' })

  const asked = await parley(['knowledge', 'query', 'Ann', '--hops', '2'])
  expect(asked.stdout).toMatch(/1\.000 +Ann +founded +Acme +people\.csv/)
  expect(asked.stdout).toMatch(/Acme +位于 +北京 +places/)
  const json = await parley(['knowledge', 'query', 'nothing', '--focus', 'bob', '--top-k', '1', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ triples: [{ subject: 'Bob' }], metadata: { topK: 1 } })
  expect(JSON.parse(json.stdout)).toHaveProperty('subgraph')
  expect(await parley(['knowledge', 'query', 'Ann', '--hops', 'x'])).toMatchObject({ code: 2, stdout: '' })

  expect((await parley(['knowledge', 'stats'])).stdout).toMatch(/entities +4\nrelations +3\nimports +2/)
  expect((await parley(['knowledge', 'sources'])).stdout).toMatch(/places +import +done +1 /)
  expect(await parley(['knowledge', 'forget', 'places'])).toMatchObject({ code: 0, stdout: '' })
  expect(await parley(['knowledge', 'forget', 'places'])).toMatchObject({ code: 3, stdout: '' })
  expect(await parley(['knowledge', 'extract'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'there is nothing to read\n',
  })
})

it('reads documents in its own process with --wait, and tells of those that failed', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const ids: string[] = []
  {
    await using local = await createParley({ dataDir: join(folder.path, 'data'), takesUpRuns: false })
    for (const title of ['one', 'two', 'three', 'four', 'five', 'six'])
      // the demo does as it is told
      ids.push(
        (await local.documents.create({ title, content: title === 'six' ? 'fail' : `${title} is a number.` }))
          .id,
      )
  }
  // nobody is there to do it
  const begun = await parley(['knowledge', 'extract', ids[0]!])
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringContaining('running') })
  expect(begun.stderr).toContain('parley serve')
  // more documents than are read at once
  const read = await parley(['knowledge', 'extract', ...ids, '--wait', '--json'])
  expect(read.code).toBe(1)
  const { items } = JSON.parse(read.stdout) as { items: { name: string; status: string; reason: string }[] }
  expect(items.map(({ name }) => name).sort()).toEqual([...ids].sort())
  expect(items.filter(({ status }) => status === 'done')).toHaveLength(5)
  const failed = items.find(({ status }) => status === 'failed')
  expect(failed).toMatchObject({ name: ids[5], reason: expect.stringContaining('told to') })
  expect(read.stderr).toContain('one: done')
  expect(read.stderr).toContain('six: failed')
})
