import { expect, it } from 'vitest'
import { z } from 'zod'
import { operationsOf } from './operation.ts'

const { read, write } = operationsOf<object>('tests')
const output = z.object({ id: z.string(), title: z.string() })

// what is expected here is an error of the compiler: without one `tsc` fails
it('takes no answer that lacks a field of its schema', () => {
  const whole = read('/api/things/{id}', { summary: 'x', output, run: (_, { id }) => ({ id, title: 'x' }) })
  expect(whole.status).toBe(200)
  // @ts-expect-error the title is missing
  read('/api/things/{id}', { summary: 'x', output, run: (_, { id }) => ({ id }) })
  // @ts-expect-error the title is missing
  write('POST', '/api/things', { summary: 'x', output, run: async () => ({ id: 'x' }) })
})
