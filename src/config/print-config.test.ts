import { describe, expect, it } from 'vitest'
import { arrange } from '../../test/config-arrange.ts'
import { describeConfig, maskConfig } from './print-config.ts'

const key = 'parley-0123456789abcdef'

describe('printing', () => {
  const secrets = {
    PARLEY_API_KEY: 'QWERTYUIOPASDFGH1234',
    OPENAI_API_KEY: 'ZXCVBNMLKJH',
    ANTHROPIC_API_KEY: 'https://POIUYTREWQLKJ5678',
    GEMINI_API_KEY: 'MNBVCXZASDFG9012',
    DATABASE_URL: 'postgres://ada:TYGHBNUJMIKL3456@db.test/app?sslpassword=VBGFRTYHNJUK7890',
  }
  const own = 'apiKeys: [{name: ci, key: EDCRFVTGBYHN2468, scopes: [notes]}]\nscopes: {notes: {root: /notes}}'

  it('shows of a secret at most the last four characters', () => {
    const loaded = arrange({ own }).load({ env: secrets })
    const masked = maskConfig(loaded)
    expect(masked).toMatchObject({
      apiKey: '••••1234',
      openai: { apiKey: '••••' },
      anthropic: { apiKey: '••••5678' },
      gemini: { apiKey: '••••9012' },
      databaseUrl: 'postgres://ada:••••3456@db.test/app?sslpassword=••••7890',
      apiKeys: [{ name: 'ci', key: '••••2468', scopes: ['notes'] }],
      port: 4127,
    })
    const printed = JSON.stringify([masked, describeConfig(loaded)])
    for (const text of [...Object.values(secrets), 'EDCRFVTGBYHN2468'])
      for (const [, part] of text.matchAll(/(?=([A-Z0-9]{5}))/g)) expect(printed).not.toContain(part)
  })

  it('shows a group within a group as it stands in the file', () => {
    const loaded = arrange({ project: 'session: {limit: {chars: 5}}' }).load()
    expect(maskConfig(loaded)['session']).toEqual({ limit: { chars: 5 } })
    expect(describeConfig(loaded).find((line) => line.key === 'session.limit.chars')?.value).toBe(5)
  })

  it('leaves the configuration itself as it is', () => {
    const loaded = arrange({ own }).load({ env: secrets })
    maskConfig(loaded)
    describeConfig(loaded)
    expect(loaded.config.apiKey).toBe(secrets.PARLEY_API_KEY)
    expect(loaded.config.apiKeys[0]?.key).toBe('EDCRFVTGBYHN2468')
  })

  it('lists every setting with its origin', () => {
    const { load, projectFile } = arrange({ own })
    const described = describeConfig(load({ env: { PARLEY_API_KEY: key }, flags: { port: 1 } }))
    expect(described.map((line) => line.key)).toContain('limits.pageSize')
    const line = (name: string) => described.find((candidate) => candidate.key === name)
    expect(line('port')).toEqual({ key: 'port', value: 1, source: 'flag', name: '--port' })
    expect(line('apiKey')).toEqual({
      key: 'apiKey',
      value: '••••cdef',
      source: 'environment',
      name: 'PARLEY_API_KEY',
    })
    expect(line('scopes.notes.root')).toEqual({
      key: 'scopes.notes.root',
      value: '/notes',
      source: 'named',
      name: projectFile,
    })
    expect(line('model')).toEqual({ key: 'model', value: undefined, source: 'default', name: 'default' })
    expect(describeConfig(arrange().load()).find((candidate) => candidate.key === 'scopes')?.value).toEqual(
      {},
    )
  })
})
