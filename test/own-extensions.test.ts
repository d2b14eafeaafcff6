import { describe, expect, expectTypeOf, it } from 'vitest'
import { defineExtension, operationsOf, z, type Extension } from '../src/extension.ts'
import { createParley } from '../src/parley.ts'
import { temporaryFolder } from './harness.ts'

interface Counter {
  count: number
}

const operations = {
  add: operationsOf<Counter>('counting').write('POST', '/api/counters/{name}', {
    summary: 'Count',
    input: z.strictObject({ scope: z.string().optional(), by: z.int().optional() }),
    output: z.object({ name: z.string(), count: z.number() }),
    run: ({ deps }, { name }, { by = 1 }) => ({ name, count: (deps.count += by) }),
  }),
}
const deps: Counter = { count: 0 }
const plain = (name: string, contributions: Partial<Awaited<ReturnType<Extension['create']>>> = {}) =>
  defineExtension({ name, create: () => ({ service: undefined, ...contributions }) })

const refusal = async (...extensions: unknown[]) => {
  using folder = temporaryFolder()
  const opened = createParley({ dataDir: folder.path, extensions: extensions as Extension[] })
  return opened.then(
    async (parley) => parley.close(),
    (error: Error) => error.message,
  )
}

it('joins an extension after those that come with Parley, and types its calls', async () => {
  using folder = temporaryFolder()
  const counting = defineExtension({
    name: 'counting',
    version: '1.2.0',
    create: () => ({ service: undefined, operations: { counters: { operations, deps: { count: 0 } } } }),
  })
  await using parley = await createParley({ dataDir: folder.path, extensions: [counting, plain('other')] })
  expectTypeOf(parley.counters.add).returns.resolves.toEqualTypeOf<{ name: string; count: number }>()
  expect(await parley.counters.add('visits', { by: 2 })).toEqual({ name: 'visits', count: 2 })
  // @ts-expect-error it is a number
  await expect(parley.counters.add('visits', { by: 'two' })).rejects.toThrow('by')
  const { items } = await parley.catalogue.extensions()
  expect(items.slice(-2)).toEqual([{ name: 'counting', version: '1.2.0' }, { name: 'other' }])
})

it('gives two Parleys in one process their own', async () => {
  using folder = temporaryFolder()
  using second = temporaryFolder()
  const counting = defineExtension({
    name: 'counting',
    create: () => ({ service: undefined, operations: { counters: { operations, deps: { count: 0 } } } }),
  })
  await using one = await createParley({ dataDir: folder.path, extensions: [counting] })
  await using other = await createParley({ dataDir: second.path, extensions: [counting] })
  await one.counters.add('visits')
  expect(await other.counters.add('visits')).toMatchObject({ count: 1 })
})

describe('what is refused', () => {
  it.each([
    ['a list that is none', 'polls', 'createParley: extensions must be a list of extensions, not "polls".'],
    [
      'something else in the list',
      [{ name: 'polls' }],
      'createParley: extensions[0].create must be a function, not undefined.',
    ],
    [
      'a name that is none',
      [plain('My Polls')],
      'createParley: extensions[0].name must be a word of lower-case letters, digits and "-", not "My Polls".',
    ],
    [
      'a field that nobody reads',
      [{ ...plain('polls'), tool: [] }],
      'createParley: extensions[0] has no option "tool". Its options: name, version, ',
    ],
  ])('%s', async (_, extensions, message) => {
    using folder = temporaryFolder()
    const opened = createParley({ dataDir: folder.path, extensions: extensions as Extension[] })
    await expect(opened).rejects.toThrow(message)
  })

  it('the name of an extension that is there already', async () => {
    expect(await refusal(plain('plan'))).toBe('There are two extensions named "plan".')
  })

  it('an extension without one that it needs', async () => {
    const needed = plain('votes')
    const polls = defineExtension({ ...plain('polls'), needs: [needed] })
    expect(await refusal(polls, needed)).toBe(
      'The extension "polls" needs "votes", which must come before it in the list.',
    )
  })

  it('names that another has, and says who', async () => {
    const tool = { name: 'vote', description: 'Votes', input: z.object({}), execute: async () => ({}) }
    const kind = { execute: async () => {}, giveUp: async () => {} }
    const type = { name: 'poll', appliesTo: () => false }
    const metric = { name: 'polls', help: 'Polls', type: 'gauge', read: () => [] } as const
    const source = { name: 'polls', appliesTo: () => false, load: () => ({}) }
    const two = (contributions: Parameters<typeof plain>[1]) =>
      refusal(plain('votes', contributions), plain('polls', contributions))
    const by = (what: string, name: string, other = 'the extension "votes"') =>
      `The extension "polls" has the ${what} "${name}", which ${other} has already. Rename one of them.`

    expect(await two({ operations: { polls: { operations, deps } } })).toBe(by('call', 'polls'))
    expect(await two({ tools: [tool] })).toBe(by('tool', 'vote'))
    expect(await two({ runKinds: { poll: kind } })).toBe(by('run kind', 'poll'))
    expect(await two({ sessionTypes: [type] })).toBe(by('session type', 'poll'))
    expect(await two({ metrics: [metric] })).toBe(by('metric', 'polls'))
    expect(await two({ prompt: [source] })).toBe(by('prompt source', 'polls'))

    const one = (contributions: Parameters<typeof plain>[1]) => refusal(plain('polls', contributions))
    expect(await one({ operations: { sessions: { operations } } })).toBe(by('call', 'sessions', 'Parley'))
    expect(await one({ operations: { close: { operations } } })).toBe(by('call', 'close', 'Parley'))
    expect(await one({ operations: { plans: { operations } } })).toBe(
      by('call', 'plans', 'the extension "plan"'),
    )
    const get = operationsOf<undefined>('polls').read('/api/plans/{poll}', {
      summary: 'A poll',
      output: z.object({}),
      run: () => ({}),
    })
    expect(await one({ operations: { polls: { operations: { get } } } })).toBe(
      by('route', 'GET /api/plans/{}', 'the extension "plan"'),
    )
    expect(await one({ tools: [{ ...tool, name: 'recall' }] })).toBe(by('tool', 'recall', 'Parley'))
    expect(await one({ runKinds: { turn: kind } })).toBe(by('run kind', 'turn', 'Parley'))
    expect(await one({ sessionTypes: [{ ...type, name: 'interactive' }] })).toBe(
      by('session type', 'interactive', 'Parley'),
    )
  })

  it('options that another has, and says who', async () => {
    const withOption = (name: string, option: string) =>
      defineExtension({ ...plain(name), options: { [option]: z.unknown() } })
    expect(await refusal(withOption('polls', 'models'))).toBe(
      'The extension "polls" has the option "models", which Parley has already. Rename one of them.',
    )
    expect(await refusal(withOption('polls', 'plans'))).toContain('which the extension "plan" has already')
  })

  it('an extension that cannot be created, by its name, after closing those before it', async () => {
    const closed: string[] = []
    const before = plain('before', { close: async () => void closed.push('before') })
    const broken = defineExtension({
      name: 'broken',
      create() {
        throw new TypeError('no disk')
      },
    })
    expect(await refusal(before, broken)).toBe('The extension "broken" could not be created: no disk')
    expect(closed).toEqual(['before'])
  })
})
