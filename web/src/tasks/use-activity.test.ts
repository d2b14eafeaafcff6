import { expect, it } from 'vitest'
import type { Chunk } from '../../../src/core/protocol/chunk.ts'
import { foldActivity } from './use-activity.ts'

const fold = (...chunks: Chunk[]) =>
  foldActivity(
    {},
    chunks.map((chunk, seq) => ({ seq, chunk })),
  )

it('shows the tool until words come, and the newest words after that', () => {
  const tool: Chunk = { type: 'tool-input-start', toolCallId: 'c', toolName: 'read_file', dynamic: true }
  const words: Chunk[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'I am ' },
    { type: 'text-delta', id: 't', delta: 'done' },
  ]
  expect(fold(tool)).toEqual({ tool: 'read_file' })
  expect(fold(tool, ...words)).toEqual({ words: 'I am done' })
  expect(fold(...words, tool)).toEqual({ tool: 'read_file' })
})

it('keeps the end of long words', () => {
  const { words } = fold({ type: 'text-delta', id: 't', delta: `${'a'.repeat(500)}end` })
  expect(words).toHaveLength(160)
  expect(words?.endsWith('end')).toBe(true)
})
