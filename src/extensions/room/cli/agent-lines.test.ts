import { expect, it } from 'vitest'
import { createAgentLines } from './agent-lines.ts'

function listen() {
  const printed: string[] = []
  return { printed, lines: createAgentLines((speaker, line) => printed.push(`${speaker}: ${line}`)) }
}

it('prints whole lines, whoever speaks between their words', () => {
  const { printed, lines } = listen()
  lines.add('mira:1', 'mira', 'Good ')
  lines.add('pip:1', 'pip', 'Hel')
  lines.add('mira:1', 'mira', 'morning.\nHow ')
  lines.add('pip:1', 'pip', 'lo\n\nthere')
  expect(printed).toEqual(['mira: Good morning.', 'pip: Hello', 'pip: '])
  lines.end('pip:1')
  lines.add('mira:1', 'mira', 'are you?')
  lines.endAll()
  expect(printed.slice(3)).toEqual(['pip: there', 'mira: How are you?'])
})

it('tells two texts of one agent apart, and ends each once', () => {
  const { printed, lines } = listen()
  lines.add('mira:1', 'mira', 'one')
  lines.add('mira:2', 'mira', 'two')
  lines.end('mira:2')
  lines.end('mira:2')
  lines.end('never begun')
  lines.endAll()
  lines.endAll()
  expect(printed).toEqual(['mira: two', 'mira: one'])
})

it('is quick with a long text in small pieces', () => {
  const { printed, lines } = listen()
  for (let index = 0; index < 100_000; index++)
    lines.add('a', 'mira', index % 100 === 99 ? 'word\n' : 'word ')
  lines.endAll()
  expect(printed).toHaveLength(1_000)
})
