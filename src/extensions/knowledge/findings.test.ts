import { describe, expect, it } from 'vitest'
import type { TaskResult } from '../../core/protocol/background.ts'
import { maxFound, readFindings } from './findings.ts'

const result = (more: Partial<TaskResult>): TaskResult => ({
  taskId: 'ses_1',
  runId: 'run_1',
  status: 'success',
  output: '',
  source: 'tool',
  degraded: false,
  durationMs: 1,
  ...more,
})
const read = (structuredData: unknown, text = '') => readFindings(result({ structuredData }), text)
const good = { subject: 'a', predicate: 'is', object: 'b' }

describe('what a model hands in', () => {
  it('is taken when it fits', () => {
    expect(read({ triples: [good] })).toEqual({
      triples: [{ ...good, subjectType: '', objectType: '', evidence: '', weight: 1 }],
      entities: [],
    })
    expect(read({ triples: [] })).toEqual({ triples: [], entities: [] })
  })

  it('is taken from its last words when it was only said', () => {
    const output = `Here you are:\n\`\`\`json\n${JSON.stringify({ triples: [good] })}\n\`\`\``
    const said = readFindings(result({ status: 'partial', output, source: 'extracted', degraded: true }), '')
    expect(said).toMatchObject({ triples: [good] })
  })

  it.each([
    [undefined],
    [null],
    ['text'],
    [{}],
    [{ triples: {} }],
    [{ triples: [null, 1, 'x', [], {}, { ...good, object: undefined }, { ...good, subject: {} }] }],
  ])('is refused with a reason: %j', (data) => {
    expect(read(data)).toEqual({ error: expect.stringMatching(/triples/) })
  })

  it.each(['failed', 'timeout', 'cancelled', 'interrupted'] as const)(
    'is none of a run that %s',
    (status) => {
      const structuredData = { triples: [good] }
      expect(readFindings(result({ status, structuredData, error: 'why' }), '')).toEqual({ error: 'why' })
      expect(readFindings(result({ status, structuredData }), '')).toEqual({
        error: expect.stringContaining(status),
      })
    },
  )

  it('is cut to its bounds', () => {
    const found = read({
      triples: Array.from({ length: maxFound + 5 }, (_, index) => ({
        ...good,
        subject: index,
        confidence: index === 0 ? 7 : index === 1 ? -1 : 'sure',
      })),
      entities: [{ name: ' n\n1 ', type: 't'.repeat(99), description: 'd'.repeat(999) }, { name: '' }, 3],
    })
    if ('error' in found) throw new Error(found.error)
    expect(found.triples).toHaveLength(maxFound)
    expect(found.triples.slice(0, 3).map(({ subject, weight }) => [subject, weight])).toEqual([
      ['0', 1],
      ['1', 0.05],
      ['2', 1],
    ])
    expect(found.entities).toEqual([{ name: 'n 1', type: 't'.repeat(50), description: 'd'.repeat(500) }])
  })

  it('has only evidence that is in the text', () => {
    const of = (evidence: string) => {
      const found = read({ triples: [{ ...good, evidence }] }, 'So it is:\n  A is\nB.')
      return 'triples' in found && found.triples[0]!.evidence
    }
    expect(of('a is b.')).toBe('a is b.')
    expect(of('a is c.')).toBe('')
  })
})
