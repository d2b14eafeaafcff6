import { expect, it } from 'vitest'
import type { RoomRecord, Round } from '../protocol/room.ts'
import type { Session } from '../../../core/protocol/session.ts'
import { describeAsk, describeRoom, describeTurns } from './room-text.ts'
import { render, type Shown } from '../../../core/command-line/printable.ts'

const escape = '\u001b]0;owned\u0007'

it('keeps what models and agents write from changing the terminal', () => {
  const room: RoomRecord = {
    id: 'ses_1',
    mode: {
      name: 'quiz',
      label: { en: 'Quiz', zh: '' },
      icon: '?',
      description: { en: '', zh: '' },
      minAgents: 1,
      maxAgents: 9,
      options: {},
    },
    state: { question: `${escape}Which?` },
    settings: {},
    agents: [{ name: 'mira', description: `${escape}Kind`, source: 'stored' }],
    missing: [],
    asks: [{ human: 'ada', text: `${escape}Choose`, content: `${escape}the plan` }],
    player: { name: 'ada', facts: [], channel: [{ from: 'pip', text: `${escape}Psst` }] },
    sealed: false,
    canAdvance: false,
  }
  const printed = (shown: Shown) => render(shown, process.stderr)
  const text = printed(describeRoom({ title: 'A room' } as Session, room))
  for (const word of ['Which?', 'Kind', 'Choose', 'Psst']) expect(text).toContain(`<U+0007>${word}`)
  expect(text).not.toMatch(/\p{Cc}(?<!\n)/u)
  expect(printed(describeAsk(room.asks[0]!))).toBe(
    'ada: <U+001B>]0;owned<U+0007>Choose\n<U+001B>]0;owned<U+0007>the plan',
  )
  const turns = [{ agent: 'pip', status: 'said', private: true, text: escape }]
  expect(printed(describeTurns({ turns } as Round))).toBe('pip, in private: <U+001B>]0;owned<U+0007>')
})
