import { describe, expect, it } from 'vitest'
import { defineFragment } from '../src/core/chat/program-fragment.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { createScripted, says } from './chat-harness.ts'
import { sqliteDatabase, temporaryFolder, toOptions, type TestDatabase } from './harness.ts'

type Fragments = NonNullable<ParleyOptions['fragments']>

async function open(database: TestDatabase, fragments: Fragments) {
  const model = createScripted(() => says('Hello'))
  const parley = await createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
    fragments,
  })
  return Object.assign(parley, { model })
}

describe('fragments of a program', () => {
  it('stand where they say, static ones kept and dynamic ones sent when they change', async () => {
    await using database = await sqliteDatabase()
    let mood = 'calm'
    let style = 'Be plain.'
    await using parley = await open(database, [
      { name: 'house_style', part: 'static', before: 'env', render: () => style },
      defineFragment({
        name: 'mood',
        part: 'dynamic',
        after: 'current_date',
        load: () => mood,
        render: (_context, now) => now,
      }),
    ])
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'One')
    mood = 'glad'
    style = 'Be ornate.'
    await parley.sessions.chat(id, 'Two')
    await parley.sessions.chat(id, 'Three')
    const systems = parley.model.requests.map(({ system }) => system)
    expect(systems[0]).toMatch(/<\/instructions>\n\n<house_style>\nBe plain\.\n<\/house_style>\n\n<env>/)
    expect(new Set(systems).size).toBe(1)
    const { messages } = parley.model.requests[2]!
    const said = messages.map(
      (message) => /<mood>\n(\w+)/.exec(JSON.stringify(message).replaceAll('\\n', '\n'))?.[1],
    )
    expect(said).toEqual(['calm', undefined, 'glad', undefined, undefined])
    const { fragments } = await parley.sessions.prompt(id)
    expect(fragments.find(({ name }) => name === 'house_style')).toMatchObject({ placement: 'static' })
  })

  it('are only where they apply', async () => {
    await using database = await sqliteDatabase()
    const loaded: string[] = []
    await using parley = await open(database, [
      {
        name: 'tasks_only',
        part: 'static',
        after: 'env',
        recipes: ['background_task'],
        render: () => 'For tasks.',
      },
      {
        name: 'some',
        part: 'dynamic',
        after: 'current_date',
        appliesTo: ({ title }) => title === 'some',
        load: ({ id }) => void loaded.push(id),
        render: () => 'For some.',
      },
    ])
    const plain = await parley.sessions.create()
    const some = await parley.sessions.create({ title: 'some' })
    const names = async (id: string) => (await parley.sessions.prompt(id)).fragments.map(({ name }) => name)
    expect(await names(plain.id)).not.toEqual(expect.arrayContaining(['tasks_only']))
    expect(await names(plain.id)).not.toEqual(expect.arrayContaining(['some']))
    expect(await names(some.id)).toEqual(expect.arrayContaining(['some']))
    expect(loaded).toEqual([some.id])
  })

  it('can end no tag, their own neither', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database, [
      { name: 'style', part: 'static', after: 'env', render: () => 'a</style></env><style b>' },
    ])
    const { id } = await parley.sessions.create()
    const { system } = await parley.sessions.prompt(id)
    expect(system).toContain('<style>\na< /style>< /env>< style b>\n</style>')
  })

  it('are not noticed by another Parley', async () => {
    await using database = await sqliteDatabase()
    await using other = await sqliteDatabase()
    await using parley = await open(database, [
      { name: 'style', part: 'static', after: 'env', render: () => 'Be plain.' },
    ])
    await using plain = await open(other, [])
    expect((await parley.sessions.prompt((await parley.sessions.create()).id)).system).toContain('<style>')
    expect((await plain.sessions.prompt((await plain.sessions.create()).id)).system).not.toContain('<style>')
  })

  const render = () => 'x'
  it.each([
    [
      'a place that is none',
      [{ name: 'a', part: 'static', after: 'envv', render }],
      'next to "envv", which is none',
    ],
    ['no place', [{ name: 'a', part: 'static', render }], 'must have either before or after'],
    [
      'two places',
      [{ name: 'a', part: 'static', after: 'env', before: 'env', render }],
      'either before or after',
    ],
    [
      'a name of ours',
      [{ name: 'rules', part: 'static', after: 'env', render }],
      'must be no tag that Parley has',
    ],
    [
      'a name of a fragment',
      [{ name: 'skills', part: 'static', after: 'env', render }],
      'which Parley has already',
    ],
    [
      'the same name twice',
      [
        { name: 'a', part: 'static', after: 'env', render },
        { name: 'a', part: 'dynamic', after: 'current_date', render },
      ],
      'The program has two prompt sources named "a"',
    ],
    [
      'a name of an extension',
      [{ name: 'plan', part: 'static', after: 'env', render }],
      'which the extension "plan"',
    ],
    [
      'a type that is none',
      [{ name: 'a', part: 'static', after: 'env', recipes: ['chat'], render }],
      'no session type',
    ],
    ['no text', [{ name: 'a', part: 'static', after: 'env' }], 'render must be a function'],
  ])('are refused with %s', async (_what, fragments, message) => {
    using folder = temporaryFolder()
    await expect(createParley({ dataDir: folder.path, fragments: fragments as Fragments })).rejects.toThrow(
      message,
    )
  })
})
