import { describe, expect, it } from 'vitest'
import { maxTriples } from '../src/extensions/knowledge/protocol/knowledge.ts'
import { databases, sqliteDatabase } from './harness.ts'
import { openKnowledge, triple } from './knowledge-harness.ts'

describe.each(databases)('imported knowledge on %s', (_name, openDatabase) => {
  it('is stored once however often it is said, and each source by itself', async () => {
    await using opened = await openKnowledge(openDatabase)
    const { knowledge } = opened
    const triples = [triple('Ann > knows > Bob'), triple('ann  > KNOWS > BOB'), triple('Bob > owns > a dog')]
    const first = await knowledge.import({ source: 'people', triples })
    expect(first).toMatchObject({ added: 2, removed: 0, source: { kind: 'import', relations: 2 } })
    expect(await knowledge.import({ source: 'people', triples })).toMatchObject({ added: 0, removed: 0 })
    expect(await knowledge.import({ source: 'others', triples: triples.slice(0, 1) })).toMatchObject({
      added: 1,
      source: { name: 'others', status: 'done', relations: 1 },
    })
    expect(await knowledge.stats()).toMatchObject({ entities: 3, relations: 3, imports: 2 })
    expect((await knowledge.query({ query: 'ann' })).triples).toMatchObject([
      {
        subject: 'Ann',
        predicate: 'knows',
        object: 'BOB',
        sources: [{ source: 'others' }, { source: 'people' }],
      },
    ])
  })

  it('is replaced for one source, and what nobody speaks of any more is gone', async () => {
    await using opened = await openKnowledge(openDatabase)
    const { knowledge } = opened
    await opened.import('one', ['a > is > b', 'b > is > c', 'c > is > d'])
    await opened.import('two', ['c > is > e'])
    const replaced = await knowledge.import({
      source: 'one',
      triples: [triple('a > is > b'), triple('a > is > f')],
      replace: true,
    })
    expect(replaced).toMatchObject({ added: 1, removed: 2, source: { relations: 2 } })
    const names = async () => (await knowledge.entities()).items.map(({ name }) => name)
    expect(await names()).toEqual(['a', 'b', 'c', 'e', 'f'])
    await knowledge.forget('two')
    expect(await names()).toEqual(['a', 'b', 'f'])
    await knowledge.import({ source: 'one', triples: [], replace: true })
    expect(await knowledge.stats()).toMatchObject({ entities: 0, relations: 0, imports: 1 })
    await expect(knowledge.forget('two')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('calls a thing as those do who still speak of it', async () => {
    await using opened = await openKnowledge(openDatabase)
    const { knowledge } = opened
    await knowledge.import({
      source: 'a',
      triples: [triple('Ärzte > are > people', { subjectType: 'band' })],
    })
    await knowledge.import({ source: 'b', triples: [triple('ärzte > are > PEOPLE')] })
    const named = async () => (await knowledge.entities()).items.map(({ name, type }) => `${name}/${type}`)
    expect(await named()).toEqual(expect.arrayContaining(['PEOPLE/', 'Ärzte/band']))
    await knowledge.forget('a')
    expect(await named()).toEqual(expect.arrayContaining(['PEOPLE/', 'ärzte/']))
  })

  it('is listed: sources by what was changed last, entities by parts of their names, in pages', async () => {
    await using opened = await openKnowledge(openDatabase)
    const { knowledge } = opened
    for (const name of ['x', 'y', 'z']) await opened.import(name, [`${name} 100% > is_in > 北京大学`])
    expect((await knowledge.sources()).items.map(({ name }) => name)).toEqual(['z', 'y', 'x'])
    const page = await knowledge.sources({ limit: 2 })
    expect(page.items).toHaveLength(2)
    const rest = await knowledge.sources({ limit: 2, cursor: page.nextCursor! })
    expect(rest).toMatchObject({ items: [{ name: 'x' }], nextCursor: null })
    expect((await knowledge.sources({ kind: 'document' })).items).toEqual([])
    expect((await knowledge.sources({ name: 'y' })).items).toMatchObject([{ name: 'y' }])
    const found = async (q: string) => (await knowledge.entities({ q })).items.map(({ name }) => name)
    expect(await found('京大')).toEqual(['北京大学'])
    expect(await found('100%')).toEqual(['x 100%', 'y 100%', 'z 100%'])
    expect(await found('0_0')).toEqual([])
    const first = await knowledge.entities({ limit: 3 })
    const second = await knowledge.entities({ limit: 3, cursor: first.nextCursor! })
    expect([...first.items, ...second.items].map(({ name }) => name).sort()).toEqual([
      'x 100%',
      'y 100%',
      'z 100%',
      '北京大学',
    ])
    expect(second.nextCursor).toBeNull()
  })

  it('survives writers at the same time', async () => {
    await using opened = await openKnowledge(openDatabase)
    const say = (source: string) =>
      opened.import(
        source,
        Array.from({ length: 20 }, (_, index) => `n${index} > to > n${(index * 7) % 20}`),
      )
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(say))
    await Promise.all([
      ...['a', 'b', 'c'].map((name) => opened.knowledge.forget(name)),
      ...['g', 'h'].map(say),
    ])
    expect(await opened.knowledge.stats()).toMatchObject({ entities: 20, relations: 100, imports: 5 })
    await Promise.all(['d', 'e', 'f', 'g', 'h'].map((name) => opened.knowledge.forget(name)))
    expect(await opened.knowledge.stats()).toMatchObject({ entities: 0, relations: 0, imports: 0 })
  })

  it('refuses what is wrong with a sentence, and then changes nothing', async () => {
    await using opened = await openKnowledge(openDatabase)
    const { knowledge } = opened
    const good = triple('a > is > b')
    const wrong: object[] = [
      { source: 's', triples: [good, { ...good, subject: ' ' }] },
      { source: 's', triples: [{ ...good, predicate: '' }] },
      { source: 's', triples: [{ ...good, object: 'x'.repeat(201) }] },
      { source: 's', triples: [{ ...good, subject: 'a\nb' }] },
      { source: 's', triples: [{ ...good, evidence: 'x'.repeat(501) }] },
      { source: 's', triples: [{ ...good, extra: 1 }] },
      { source: 's', triples: [{ subject: 'a', predicate: 'is' }] },
      { source: 's', triples: Array.from({ length: maxTriples + 1 }, () => good) },
      { source: '', triples: [good] },
      { source: '..', triples: [good] },
      { source: 'x'.repeat(201), triples: [good] },
      { triples: [good] },
      { source: 's', triples: {} },
    ]
    for (const input of wrong)
      await expect(
        knowledge.import(input as never),
        JSON.stringify(input).slice(0, 80),
      ).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await knowledge.stats()).toMatchObject({ entities: 0, relations: 0, imports: 0 })
  })

  it('takes 10,000 at once, also names that become long when they are made comparable', async () => {
    await using opened = await openKnowledge(openDatabase)
    const { knowledge } = opened
    const triples = Array.from({ length: maxTriples }, (_, index) =>
      triple(`thing ${index} > follows > thing ${index + 1}`),
    )
    expect(await knowledge.import({ source: 'chain', triples })).toMatchObject({ added: maxTriples })
    expect(await knowledge.import({ source: 'chain', triples })).toMatchObject({ added: 0 })
    const long = '\uFDFA'.repeat(200)
    await knowledge.import({ source: 'long', triples: [triple('x > is > y', { subject: long })] })
    expect((await knowledge.query({ query: 'y' })).triples[0]).toMatchObject({ subject: long })
    const emptied = await knowledge.import({ source: 'chain', triples: [], replace: true })
    expect(emptied).toMatchObject({ removed: maxTriples })
    expect(await knowledge.stats()).toMatchObject({ entities: 2, relations: 1 })
  })
})

it('tells what was changed, and the audit who did it', async () => {
  await using opened = await openKnowledge(sqliteDatabase)
  await opened.import('one', ['a > is > b'])
  await opened.knowledge.forget('one')
  const events = await opened.parley.store.listEvents('default', { after: 0, limit: 100 })
  expect(events.filter(({ type }) => type === 'knowledge-changed').map(({ data }) => data)).toMatchObject([
    { source: 'one', kind: 'import', action: 'import', added: 1, removed: 0 },
    { source: 'one', kind: 'import', action: 'forget', removed: 1 },
  ])
  const { items } = await opened.parley.store.listAudit('default', { resourceType: 'knowledge', limit: 10 })
  expect(items.map(({ action, resourceId }) => [action, resourceId])).toEqual([
    ['delete', 'one'],
    ['import', 'one'],
  ])
})
