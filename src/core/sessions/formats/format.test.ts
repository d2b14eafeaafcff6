import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../../test/property-runs.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { sessionDocumentSchema } from './sample-document.ts'
import { arbitraryDocument } from './arbitrary-document.ts'
import { formats, requireFormat } from './format.ts'
import { readDocuments } from './read-documents.ts'

/** As JSON carries it: without fields that are undefined. Compared by `assert`, as `expect` trips over a key "constructor". */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe.each(Object.values(formats))('$name', (format) => {
  it('gives back any document exactly, and writes it the same again', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(arbitraryDocument, (given) => {
        const written = format.write(given)
        assert.deepStrictEqual(format.read(written), plain(given))
        expect(format.write(format.read(written))).toBe(written)
      }),
      tries(50),
    )
  })

  it(
    'is recognised by its content, also with a BOM and the line ends of Windows',
    { timeout: 30_000 },
    () => {
      fc.assert(
        fc.property(arbitraryDocument, (given) => {
          const written = format.write(given)
          assert.deepStrictEqual(readDocuments(written), [plain(given)])
          assert.deepStrictEqual(readDocuments(`\uFEFF${written.replaceAll('\n', '\r\n')}`), [plain(given)])
        }),
        tries(20),
      )
    },
  )

  it('writes known fields in one order, whatever order they came in', () => {
    const message = { parts: [{ text: 'Hi', type: 'text' }], role: 'user', id: 'm1' }
    const shuffled = {
      messages: [message],
      session: { title: 'T', id: 's1' },
      version: 1,
      format: 'parley.session',
    }
    const written = format.write(shuffled as unknown as SessionDocument)
    expect(written).toBe(format.write(sessionDocumentSchema.parse(shuffled)))
    expect(written.indexOf('s1')).toBeLessThan(written.indexOf('interactive'))
    expect(written.indexOf('m1')).toBeLessThan(written.indexOf('Hi'))
  })

  it('refuses to write what it could not read', () => {
    const twice = { role: 'user', content: 'x', id: 'same' } as const
    const bad = {
      format: 'parley.session',
      version: 1,
      session: { kind: 'tool', title: '' },
      messages: [twice, twice],
    } as const
    expect(() => format.write(bad as unknown as SessionDocument)).toThrow(
      'messages.0 and messages.1 have the same id "same"',
    )
  })
})

it('names the known formats when asked for another', () => {
  expect(requireFormat('yaml').extension).toBe('yaml')
  expect(() => requireFormat('toString')).toThrow(
    'Unknown format "toString". Known formats: json, yaml, jsonl, markdown.',
  )
})

it('writes JSON as JSON.stringify does, though message by message', () => {
  fc.assert(
    fc.property(arbitraryDocument, (given) => {
      const checked = sessionDocumentSchema.parse(given)
      expect(formats.json.write(given)).toBe(`${JSON.stringify(checked, null, 2)}\n`)
    }),
    tries(50),
  )
})
