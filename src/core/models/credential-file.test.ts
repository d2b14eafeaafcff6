import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/harness.ts'
import { createCredentialFile } from './credential-file.ts'

describe('the file of keys', () => {
  it('keeps one entry for each provider, for its owner alone, and leaves nothing else behind', async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, 'made', 'when needed')
    const file = createCredentialFile(dataDir)
    expect(await file.read()).toEqual({})
    await file.put('openai', { apiKey: 'one' })
    await file.put('ollama', { baseUrl: 'http://127.0.0.1:11434' })
    expect(await file.put('openai', { apiKey: 'two' })).toEqual({
      ollama: { baseUrl: 'http://127.0.0.1:11434' },
      openai: { apiKey: 'two' },
    })
    expect(await createCredentialFile(dataDir).read()).toEqual(await file.read())
    expect(readdirSync(dataDir)).toEqual(['credentials.json'])
    expect(statSync(join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(await file.put('openai', undefined)).toEqual({ ollama: { baseUrl: 'http://127.0.0.1:11434' } })
  })

  it('is private again after the next change when somebody opened it to others', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'credentials.json')
    const file = createCredentialFile(folder.path)
    await file.put('openai', { apiKey: 'one' })
    chmodSync(path, 0o644)
    await file.put('google', { apiKey: 'two' })
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('loses no change of many at once', async () => {
    using folder = temporaryFolder()
    const file = createCredentialFile(folder.path)
    const names = ['openai', 'anthropic', 'google'] as const
    await Promise.all(names.map((name) => file.put(name, { apiKey: name })))
    expect(Object.keys(await file.read()).sort()).toEqual([...names].sort())
  })

  it.each(['{', '[]', '{"openai":"sk-canary"}', '{"openai":{"apiKey":5}}', '{"sk-canary":{}}', 'sk-canary'])(
    'refuses %s without repeating it, and does not write over it',
    async (text) => {
      using folder = temporaryFolder()
      const path = join(folder.path, 'credentials.json')
      writeFileSync(path, text)
      const file = createCredentialFile(folder.path)
      const refusal = await file.read().catch((error: Error) => error)
      expect(refusal).toMatchObject({ code: 'conflict' })
      expect(String((refusal as Error).stack)).not.toContain('sk-canary')
      await expect(file.put('openai', { apiKey: 'new' })).rejects.toMatchObject({ code: 'conflict' })
      expect(readFileSync(path, 'utf8')).toBe(text)
    },
  )

  it('leaves the old content where the new one cannot be put', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'credentials.json')
    mkdirSync(path) // nothing can be renamed onto a folder
    const file = createCredentialFile(folder.path)
    await expect(file.put('openai', { apiKey: 'one' })).rejects.toThrow()
    expect(readdirSync(folder.path)).toEqual(['credentials.json'])
  })
})
