import { describe, expect, it } from 'vitest'
import type { WorkflowStep } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { roundsAround, toRunRows, type Folding } from './run-rows.ts'

const step = (path: string, status: WorkflowStep['status'] = 'completed'): WorkflowStep => ({
  path,
  stepId: path.split('/').at(-1)!,
  type: 'agent',
  status,
  attempt: 1,
})
const plain: Folding = { rounds: new Map(), listed: new Map() }
const drawn = (steps: readonly WorkflowStep[], folding = plain) =>
  toRunRows(steps, folding).map(({ key, depth }) => `${'  '.repeat(depth)}${key}`)
const many = (count: number, failing: readonly number[] = []) => [
  step('all'),
  ...Array.from({ length: count }, (_, index) =>
    step(`all#${index + 1}/do`, failing.includes(index + 1) ? 'failed' : 'completed'),
  ),
]

describe('rows of a run', () => {
  it('puts what is inside of a step below it, in whichever order it began', () => {
    const paths = ['plan', 'both', 'both/loop', 'end', 'both/loop#2/b', 'both/other', 'both/loop#1/b']
    expect(drawn(paths.map((path) => step(path)))).toEqual([
      'plan',
      'both',
      '  both/loop',
      '    both/loop#1',
      '      both/loop#1/b',
      '    both/loop#2',
      '      both/loop#2/b',
      '  both/other',
      'end',
    ])
  })

  it('folds rounds where there are many, and lists a page of them', () => {
    const rows = toRunRows(many(300), plain)
    expect(rows).toHaveLength(22)
    expect(rows.at(-1)).toMatchObject({
      type: 'more',
      hidden: 280,
      rounds: { all: 300, failed: 0, going: 0 },
    })
    expect(drawn(many(300), { ...plain, listed: new Map([['all', 70]]) })).toHaveLength(72)
  })

  it('lists what failed wherever it is, and opens what somebody opened', () => {
    const rounds = new Map([['all#250', true]])
    const rows = drawn(many(300, [200]), { ...plain, rounds })
    expect(rows).toContain('  all#200')
    expect(rows).toContain('    all#250/do')
    expect(rows).not.toContain('  all#201')
  })

  it('says of a round what matters most in it', () => {
    const failed = { ...step('all#1/b', 'failed'), error: 'It is closed.' }
    const rows = toRunRows([step('all'), { ...step('all#1/a'), output: 'Well.' }, failed], plain)
    expect(rows[1]).toMatchObject({ type: 'round', round: 1, status: 'failed', preview: 'It is closed.' })
  })
})

it('knows the rounds around a step', () => {
  expect(roundsAround('a#2/b/c#3/d')).toEqual(['a#2', 'a#2/b/c#3'])
  expect(roundsAround('a')).toEqual([])
})
