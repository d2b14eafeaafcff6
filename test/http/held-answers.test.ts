import { expect, it } from 'vitest'
import { addSession, startApp } from './app-server.ts'
import { checkOf } from './held-answers.ts'

it('an answer fits only with the fields, values and status that the document has', async () => {
  await using server = await startApp()
  const { id } = await addSession(server, 'default', 'one')
  const { json } = await server.send('GET', '/api/sessions')
  const session = (json!.items as object[])[0]!
  const misfits = (answer: unknown, path = '/api/sessions') =>
    checkOf('GET', path, 200)!(JSON.stringify(answer))

  expect(misfits(json)).toEqual([])
  expect(misfits(session, `/api/sessions/${id}`)).toEqual([])
  expect(misfits({ ...json, extra: 1 })).toEqual([expect.stringContaining('"extra"')])
  expect(misfits({ ...json, items: [session, { ...session, extra: 1 }] })).toEqual([
    expect.stringMatching(/^\/items\/1 .*"extra"/),
  ])
  expect(misfits({ ...session, kind: 'other' }, `/api/sessions/${id}`)).toEqual([
    expect.stringMatching(/^\/kind /),
  ])
  expect(misfits({ ...session, id: undefined }, `/api/sessions/${id}`)).toEqual([
    expect.stringContaining('"id"'),
  ])
  expect(checkOf('GET', '/api/sessions', 201)!('{}')).toEqual([expect.stringContaining('no status 201')])
})

it('a word of a path is not taken for an id', () => {
  expect(checkOf('GET', '/api/workflows/templates', 200)!('{"items":[],"more":1}')).not.toEqual(
    checkOf('GET', '/api/workflows/some', 200)!('{"items":[],"more":1}'),
  )
  expect(checkOf('GET', '/healthz', 200)).toBeUndefined()
})
