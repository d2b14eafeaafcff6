import { expect, it } from 'vitest'
import { toModelChoices } from './model-choices.ts'

const models = {
  default: 'demo/parley',
  items: [
    { id: 'openai/gpt-6', available: false, reason: 'set OPENAI_API_KEY' },
    { id: 'demo/parley', available: true },
  ],
}
const shown = (query: string, known: typeof models | undefined = models) =>
  toModelChoices(known, query).map(({ kind, id }) => `${kind} ${id ?? ''}`)

it('lists the default, then what can be used, then the rest', () => {
  expect(shown('')).toEqual(['default ', 'listed demo/parley', 'listed openai/gpt-6'])
  expect(toModelChoices(models, '').at(-1)).toMatchObject({ reason: 'set OPENAI_API_KEY' })
})

it('takes any other name as it was typed', () => {
  expect(shown('gpt')).toEqual(['listed openai/gpt-6', 'typed gpt'])
  expect(shown('demo/parley')).toEqual(['listed demo/parley'])
  expect(toModelChoices(undefined, 'ollama/qwen3')).toMatchObject([{ kind: 'typed', id: 'ollama/qwen3' }])
})

it('finds by parts of the name in any order', () => {
  expect(shown('6 open')).toEqual(['listed openai/gpt-6', 'typed 6 open'])
})
