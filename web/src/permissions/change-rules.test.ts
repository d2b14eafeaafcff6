import { describe, expect, it } from 'vitest'
import type { PermissionRule } from '../../../src/client/index.ts'
import { changeRules, emptyRule, toRule } from './change-rules.ts'

const rule = (tool: string): PermissionRule => ({ tool, decision: 'ask' })
const [a, b, c] = [rule('a'), rule('b'), rule('c')]

describe('rules', () => {
  it('are added at the end, removed and moved', () => {
    expect(changeRules([a], { kind: 'add', rule: b })).toEqual([a, b])
    expect(changeRules([a, b, c], { kind: 'remove', index: 1, rule: b })).toEqual([a, c])
    expect(changeRules([a, b, c], { kind: 'move', index: 1, by: -1, rule: b })).toEqual([b, a, c])
    expect(changeRules([a, b, c], { kind: 'move', index: 1, by: 1, rule: b })).toEqual([a, c, b])
  })

  it('are left alone when they are not what the person saw', () => {
    expect(changeRules([c, a, b], { kind: 'remove', index: 1, rule: b })).toBeUndefined()
    expect(changeRules([], { kind: 'move', index: 0, by: 1, rule: a })).toBeUndefined()
  })
})

describe('a rule that is typed', () => {
  it('leaves out what is empty', () => {
    expect(toRule({ ...emptyRule, tool: ' terminal ' })).toEqual({ tool: 'terminal', decision: 'allow' })
    expect(toRule(emptyRule)).toBeUndefined()
  })

  it('takes actions apart, and words only with a no', () => {
    const draft = {
      ...emptyRule,
      tool: 'files',
      actions: 'write, move，delete',
      path: 'src/**',
      message: 'No',
    }
    expect(toRule(draft)).toEqual({
      tool: 'files',
      action: ['write', 'move', 'delete'],
      path: 'src/**',
      decision: 'allow',
    })
    expect(toRule({ ...draft, decision: 'deny' })).toMatchObject({ decision: 'deny', message: 'No' })
  })
})
