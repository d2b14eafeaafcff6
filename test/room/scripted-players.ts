import type { Ask } from '../../src/extensions/room/modes/mode.ts'
import type { Deed, Players, Reply } from './play.ts'

export const someNames = [
  'bravo',
  'constructor',
  '牛奶',
  'delta',
  'foxtrot',
  'golf',
  'hotel',
  'india',
  'juliet',
  'kilo',
  'lima',
  'oscar',
]

/** Players who do anything that can be done, and much that cannot. Each thing they say has a mark of its own. */
export function wildPlayers(seed: number): Players {
  const random = lehmer(seed)
  let marks = 0
  const mark = () => `mark-${++marks}`
  return {
    reply(ask) {
      const luck = random()
      if (luck < 0.04) return undefined
      if (luck < 0.08) return { status: 'failed', error: { code: 'turn_failed' }, text: mark() }
      if (luck < 0.1) return { status: 'stopped', text: mark() }
      if (luck < 0.13) return { status: 'skipped' }
      if (luck < 0.23) return { text: mark(), data: nonsense(random) }
      const data = ask.schema && { ...chooseFrom(ask.schema, random), say: mark() }
      return { text: data?.say ?? mark(), ...(data && { data }) }
    },
    deed({ schema, byChat }): Deed {
      if (random() < 0.2) return { pass: true }
      if (byChat || !schema) return { chat: mark() }
      return { action: { ...chooseFrom(schema, random), say: mark() } }
    },
  }
}

/** One of the allowed values of each field; poison always has a target. */
export function chooseFrom(schema: NonNullable<Ask['schema']>, random: () => number): Record<string, string> {
  const fields = Object.entries(schema['properties'] as Record<string, { enum?: string[] }>)
  const chosen = fields.flatMap(([field, { enum: values }]) =>
    values ? [[field, values[Math.floor(random() * values.length)]!]] : [],
  )
  const choice = Object.fromEntries(chosen) as Record<string, string>
  return choice['item'] === 'poison' && choice['target'] === 'nobody' ? { item: 'nothing' } : choice
}

function nonsense(random: () => number): NonNullable<Reply>['data'] {
  const all: Record<string, unknown>[] = [
    {},
    { target: 'nobody-of-that-name', vote: 7, item: ['poison'] },
    { target: null, vote: { target: 'bravo' } },
    { item: 'poison' },
    { item: 'antidote', target: 'antidote' },
    { vote: '__proto__', target: '__proto__' },
  ]
  return all[Math.floor(random() * all.length)]
}

/** Not the generator of the games: what players do must not follow what is dealt. */
export function lehmer(seed: number): () => number {
  let state = (seed * 48_271 + 11) % 2_147_483_647
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
