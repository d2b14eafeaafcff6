import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrange } from '../../test/config-arrange.ts'

const key = 'parley-0123456789abcdef'

describe('files', () => {
  it('are looked for up to the root of the repository, the nearest winning', () => {
    const { folder, load } = arrange({
      'parley.yaml': 'chat: {maxSteps: 1}',
      'repository/.git/HEAD': '',
      'repository/parley.yaml': 'chat: {maxSteps: 2, maxSameCalls: 9}',
      'repository/a/parley.yaml': 'chat: {maxSteps: 3}',
      'repository/a/b/c/file': '',
      'repository/d/file': '',
    })
    const from = (path: string) => load({ cwd: join(folder, path) })
    expect(from('repository/a/b/c').config).toMatchObject({ chat: { maxSteps: 3, maxSameCalls: 5 } })
    expect(from('repository/d').config.chat.maxSteps).toBe(2)
    expect(from('repository/d').files).toEqual([
      { source: 'project', path: join(folder, 'repository/parley.yaml') },
    ])
    expect(from('work').config.chat.maxSteps).toBe(50)
    expect(from('.').config.chat.maxSteps).toBe(1)
  })

  it('stop at a worktree, whose .git is a file', () => {
    const { folder, load } = arrange({
      'parley.yaml': 'chat: {maxSteps: 1}',
      '.git/HEAD': '',
      'tree/.git': 'gitdir: x',
      'tree/a/file': '',
    })
    expect(load({ cwd: join(folder, 'tree/a') }).config.chat.maxSteps).toBe(50)
  })

  it('can be named by PARLEY_CONFIG', () => {
    const { load, fail, cwd } = arrange({
      project: 'chat: {maxSteps: 1}',
      'work/other.yaml': 'chat: {maxSteps: 2}',
    })
    expect(load({ env: { PARLEY_CONFIG: 'other.yaml' } })).toMatchObject({
      config: { chat: { maxSteps: 2 } },
      files: [{ source: 'project', path: join(cwd, 'other.yaml') }],
    })
    expect(fail({ env: { PARLEY_CONFIG: 'missing.yaml' } }).message).toBe('missing.yaml does not exist.')
  })

  it('of the user lie in XDG_CONFIG_HOME', () => {
    const { folder, load } = arrange({ user: 'port: 1', 'xdg/parley/config.yaml': 'port: 2' })
    expect(load().config.port).toBe(1)
    expect(load({ env: { XDG_CONFIG_HOME: join(folder, 'xdg') } }).config.port).toBe(2)
  })

  it('name folders relative to themselves', () => {
    const { folder, home, load } = arrange({
      'repository/.git/HEAD': '',
      'repository/parley.yaml':
        'dataDir: ../data\nmirror: {dir: /mirror}\nscopes: {notes: {root: ~/notes}, docs: {root: docs}}',
      'repository/a/file': '',
    })
    const named = join(folder, 'repository/parley.yaml')
    expect(load({ env: { PARLEY_CONFIG: named } }).config).toMatchObject({
      dataDir: join(folder, 'data'),
      mirror: { dir: '/mirror' },
      scopes: { notes: { root: join(home, 'notes') }, docs: { root: join(folder, 'repository/docs') } },
    })
  })

  it('may be empty, commented out, and name their schema', () => {
    for (const project of [
      '',
      '# port: 1\n',
      '\uFEFFopenai:\n  # apiKey: x\nscopes:\n',
      '$schema: ./parley.schema.json',
    ])
      expect(arrange({ project }).load().config.port).toBe(4127)
  })

  it.each([
    ['- port', 'parley.yaml must be a mapping with keys such as host, port, dataDir, not a list.'],
    ['port', 'parley.yaml must be a mapping with keys such as host, port, dataDir, not a string.'],
    [
      'port: 1\n  host: x',
      'parley.yaml is not valid YAML: Nested mappings are not allowed in compact mappings (line 1, column 7).',
    ],
    ['port: 1\nport: 2', 'parley.yaml has the key "port" twice (line 2, column 1).'],
    [
      '__proto__: {port: 1}',
      'parley.yaml has the key "__proto__", which is never allowed (line 1, column 1).',
    ],
    [`#${'x'.repeat(1_048_576)}`, 'parley.yaml is larger than 1 MiB (1048577 bytes).'],
  ])('are refused as a whole when they are broken (%#)', (project, message) => {
    expect(arrange({ project }).fail().message).toBe(message)
    expect(({} as Record<string, unknown>)['port']).toBeUndefined()
  })

  it('are refused when they are not text', () => {
    const { projectFile, fail } = arrange()
    writeFileSync(projectFile, Buffer.from('port: 1\nhost: \xff', 'latin1'))
    expect(fail().message).toBe('parley.yaml is not UTF-8 text.')
    rmSync(projectFile)
    mkdirSync(projectFile)
    expect(fail().message).toBe('parley.yaml is not a file.')
  })
})

describe('unknown keys', () => {
  it.each([
    ['# a comment\n\nprot: 1', 'Unknown key "prot" in parley.yaml line 3. Did you mean "port"?'],
    ['data_dir: x', 'Unknown key "data_dir" in parley.yaml line 1. Did you mean "dataDir"?'],
    [
      'openai:\n  apikey: x',
      'Unknown key "openai.apikey" in parley.yaml line 2. Did you mean "openai.apiKey"?',
    ],
    [
      'limits:\n  pagesize: 1',
      'Unknown key "limits.pagesize" in parley.yaml line 2. Did you mean "limits.pageSize"?',
    ],
    [
      'scopes:\n  notes:\n    root: x\n    rot: x',
      'Unknown key "scopes.notes.rot" in parley.yaml line 4. Did you mean "scopes.notes.root"?',
    ],
    [
      `apiKeys:\n  - name: ci\n    key: ${key}\n    scope: [x]\n    scopes: [x]`,
      'Unknown key "apiKeys[0].scope" in parley.yaml line 4. Did you mean "apiKeys[0].scopes"?',
    ],
    ['bodyBytes: 5000', 'Unknown key "bodyBytes" in parley.yaml line 1. Write "bodyBytes" under "limits".'],
    ['openai.apiKey: x', 'Unknown key "openai.apiKey" in parley.yaml line 1. Write "apiKey" under "openai".'],
    [
      'gemini: {location: x}',
      'Unknown key "gemini.location" in parley.yaml line 1. Known keys here: apiKey.',
    ],
    [
      'constructor: 1',
      expect.stringMatching(/^Unknown key "constructor" in parley.yaml line 1\. Known keys here: host, /),
    ],
  ])('are named with the nearest key (%#)', (own, message) => {
    expect(arrange({ own }).fail().message).toEqual(message)
  })

  it('are an error in the file of the user too, with its path', () => {
    const { home, fail } = arrange({ user: 'modle: demo/parley' })
    expect(fail().message).toBe(
      `Unknown key "modle" in ${join(home, '.config/parley/config.yaml')} line 1. Did you mean "model"?`,
    )
  })

  it('do not flood the report', () => {
    const { fail } = arrange({
      project: Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n'),
    })
    const { problems } = fail()
    expect(problems).toHaveLength(20)
    expect(problems.at(-1)?.message).toMatch(/And 19980 more unknown keys\.$/)
  })
})
