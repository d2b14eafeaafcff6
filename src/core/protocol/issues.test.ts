import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeIssues, withheld } from './issues.ts'
import { idSchema } from './names.ts'

const schema = z.strictObject({
  id: idSchema.optional(),
  count: z.int().optional(),
  role: z.enum(['user', 'assistant']).default('user'),
  inner: z.strictObject({ title: z.string().max(3) }).optional(),
})

function describe(value: unknown): string {
  const result = schema.safeParse(value)
  return result.success ? 'valid' : describeIssues(result.error, value)
}

it('names the place, what was expected and what was found', () => {
  expect(describe({ role: 'robot' })).toBe('At "role": expected "user" or "assistant"; got "robot".')
  expect(describe({ inner: {} })).toBe('At "inner.title": expected string; got nothing.')
  expect(describe({ inner: { title: 'long' } })).toBe(
    'At "inner.title": too big: expected string to have <=3 characters; got "long".',
  )
  expect(describe({ id: 'a b' })).toContain('At "id": must be 1 to 128 letters')
  expect(describe(5)).toBe('At the top level: expected object; got 5.')
})

it('names unknown keys', () => {
  expect(describe({ scope: 1 })).toBe('At the top level: unknown key "scope".')
  expect(describe({ inner: { title: '', a: 1, b: 2 } })).toBe('At "inner": unknown keys "a", "b".')
})

it('stops after five and says how many are left', () => {
  const list = z.array(z.string())
  const value = [1, 2, 3, 4, 5, 6, 7]
  const text = describeIssues(list.safeParse(value).error!, value)
  expect(text.match(/At /g)).toHaveLength(5)
  expect(text).toMatch(/got 5\. And 2 more\.$/)
})

it('cuts long values and long lists of keys', () => {
  expect(describe({ role: 'x'.repeat(10_000) }).length).toBeLessThan(200)
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, 1]))
  expect(describe(many)).toMatch(/"key4", 95 more\.$/)
})

it('does not mistake what every object inherits for a value', () => {
  const named = z.object({ constructor: z.string() })
  expect(describeIssues(named.safeParse({}).error!, {})).toBe(
    'At "constructor": expected string; got nothing.',
  )
})

it('repeats nothing of a value that is withheld', () => {
  const secret = z.strictObject({ key: z.string().max(3) })
  const { error } = secret.safeParse({ key: 'sk-secret' })
  expect(describeIssues(error!, withheld)).toBe('At "key": too big: expected string to have <=3 characters.')
  expect(describeIssues(secret.safeParse('sk-secret').error!, withheld)).not.toContain('sk-secret')
})
