import { describe, expect, it } from 'vitest'
import { createParley } from '../src/index.ts'
import { temporaryFolder } from './harness.ts'

describe('a call of the library', () => {
  it('refuses what its operation does not know, as over HTTP', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path, takesUpRuns: false })
    const { id } = await parley.sessions.create({ title: 'One' })
    const wrong = <T>(value: object) => value as T
    const refused: [call: () => Promise<unknown>, names: string][] = [
      [() => parley.sessions.list(wrong({ limt: 1 })), 'limt'],
      [() => parley.sessions.get(id, wrong({ scop: 'red' })), 'scop'],
      [() => parley.sessions.update(id, wrong({ titel: 'Two' })), 'titel'],
      [() => parley.sessions.get('not an id'), 'not an id'],
      [() => parley.runs.step(id, 0), '0'],
      [() => parley.providers.put('openai', { apiKey: 'a-key' }, wrong({ scop: 'red' })), 'scop'],
      [() => parley.providers.put('openai', { apiKey: 'a-key' }, { scope: 'Not A Scope' }), 'Not A Scope'],
    ]
    for (const [call, names] of refused)
      await expect(call()).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(names),
      })
    expect(await parley.sessions.get(id)).toMatchObject({ title: 'One' })
    const { items } = await parley.audit()
    expect(items.map(({ action }) => action)).toEqual(['create'])
  })
})
