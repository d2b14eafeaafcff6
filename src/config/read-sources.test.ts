import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrange } from '../../test/config-arrange.ts'
import { configFlags } from './flags.ts'

const key = 'parley-0123456789abcdef'

describe('flags', () => {
  it('are those that the table asks for, with a second one for the file of a secret', () => {
    expect(configFlags().map(({ flag }) => flag)).toEqual([
      '--host',
      '--port',
      '--data-dir',
      '--database-url',
      '--database-url-file',
      '--api-key',
      '--api-key-file',
      '--allowed-hosts',
      '--allowed-origins',
      '--model',
      '--log-level',
    ])
  })

  it('arrive as text', () => {
    const { load, cwd } = arrange()
    const { config } = load({
      flags: { port: '0', dataDir: 'data', allowedHosts: 'A.test, b.test:8443', model: undefined },
    })
    expect(config).toMatchObject({
      port: 0,
      dataDir: join(cwd, 'data'),
      allowedHosts: ['a.test', 'b.test:8443'],
    })
  })

  it('win over variables and files', () => {
    const { load } = arrange({ user: 'model: openai/a\nallowedOrigins: [https://user.test]' })
    const { config, origins } = load({
      flags: { model: 'openai/c', apiKey: key, allowedOrigins: 'https://flag.test' },
      env: { PARLEY_MODEL: 'openai/b', PARLEY_API_KEY: 'another-key-that-is-long' },
    })
    expect(config).toMatchObject({ model: 'openai/c', apiKey: key, allowedOrigins: ['https://flag.test'] })
    expect(origins['apiKey']).toEqual({ source: 'flag', name: '--api-key' })
  })

  it('can name the file of a secret', () => {
    const { load } = arrange({ 'work/secret': `${key}\n` })
    const { config, origins } = load({ flags: { apiKeyFile: 'secret' } })
    expect(config.apiKey).toBe(key)
    expect(origins['apiKey']).toEqual({ source: 'flag', name: '--api-key-file' })
  })

  it('never quote a secret when they are wrong', () => {
    const { fail } = arrange({ 'work/secret': key })
    const message = (flags: Record<string, string>) => fail({ flags }).message
    expect(message({ apiKey: 'tooshort' })).toMatch(
      /^--api-key must be at least 16 .*\(it has 8 characters\)\.$/,
    )
    expect(message({ apiKeyFile: 'missing' })).toBe('--api-key-file names "missing", which does not exist.')
    expect(message({ apiKey: key, apiKeyFile: 'secret' })).toBe(
      '--api-key and --api-key-file are both given. Leave one of them out.',
    )
  })

  it('must exist and have a value', () => {
    const { fail } = arrange()
    const messages = fail({ flags: { dataDri: 'x', scopes: {}, host: '' } }).problems.map(
      ({ message }) => message,
    )
    expect(messages).toEqual([
      'Unknown flag "--data-dri". Did you mean "--data-dir"?',
      'Unknown flag "--scopes".',
      expect.stringMatching(/^--host must be an IP address or a host name.*, not ""\.$/),
    ])
  })
})

describe('environment', () => {
  it.each([
    ['PARLEY_HOST', '127.0.0.2', 'host', '127.0.0.2'],
    ['PARLEY_PORT', '8080', 'port', 8080],
    ['PARLEY_DATA_DIR', '/data', 'dataDir', '/data'],
    ['DATABASE_URL', 'postgres://db.test/app', 'databaseUrl', 'postgres://db.test/app'],
    ['PARLEY_API_KEY', key, 'apiKey', key],
    ['PARLEY_MODEL', 'openai/gpt-5.2', 'model', 'openai/gpt-5.2'],
    ['OPENAI_API_KEY', 'sk-1', 'openai.apiKey', 'sk-1'],
    ['OPENAI_BASE_URL', 'http://localhost:8000/v1', 'openai.baseUrl', 'http://localhost:8000/v1'],
    ['ANTHROPIC_API_KEY', 'sk-2', 'anthropic.apiKey', 'sk-2'],
    ['ANTHROPIC_BASE_URL', 'https://proxy.test', 'anthropic.baseUrl', 'https://proxy.test'],
    ['GEMINI_API_KEY', 'ai-3', 'gemini.apiKey', 'ai-3'],
    ['OLLAMA_HOST', 'http://gpu.test', 'ollama.host', 'http://gpu.test'],
    ['OLLAMA_HOST', '0.0.0.0', 'ollama.host', 'http://0.0.0.0:11434'],
    ['OLLAMA_HOST', 'gpu.test:80', 'ollama.host', 'http://gpu.test'],
    ['PARLEY_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ])('%s=%s sets %s', (name, text, setting, value) => {
    const { load } = arrange()
    const { config, origins } = load({ env: { [name]: text } })
    expect(config).toHaveProperty(setting, value)
    expect(origins[setting]).toEqual({ source: 'environment', name })
  })

  it('counts an empty variable as not set', () => {
    const { load } = arrange({ user: 'port: 1' })
    const { config, warnings } = load({
      env: {
        PARLEY_PORT: '',
        PARLEY_HOST: '',
        PARLEY_CONFIG: '',
        PARLEY_API_KEY: '',
        PARLEY_API_KEY_FILE: '',
      },
    })
    expect(config).toMatchObject({ port: 1, host: '127.0.0.1', apiKey: undefined })
    expect(warnings).toEqual([])
  })

  it.each(['80.5', '-1', '65536', '0x50', ' 80', '8e1', 'http'])(
    'refuses PARLEY_PORT=%j and quotes it',
    (text) => {
      const { fail } = arrange()
      expect(fail({ env: { PARLEY_PORT: text } }).message).toMatch(
        new RegExp(`^PARLEY_PORT must be a whole number from 0 to 65535.*, not .*${text}`),
      )
    },
  )

  it('warns of a PARLEY_ variable that nothing reads', () => {
    const { load } = arrange()
    const env = {
      PARLEY_PROT: '1',
      PARLEY_DATABASE_URL: 'postgres://host/db',
      PARLEY_SOMETHING_ELSE: '1',
      OTHER: '1',
    }
    expect(load({ env }).warnings).toEqual([
      'PARLEY_PROT is not a setting and is ignored. Did you mean PARLEY_PORT?',
      'PARLEY_DATABASE_URL is not a setting and is ignored. Did you mean DATABASE_URL?',
      'PARLEY_SOMETHING_ELSE is not a setting and is ignored.',
    ])
  })

  it('mentions such a variable beside the problem that it may have caused', () => {
    const { fail } = arrange()
    const { message, problems } = fail({ env: { PARLEY_HOST: '0.0.0.0', PARLEY_APIKEY: key } })
    expect(message).toContain('PARLEY_APIKEY is not a setting and is ignored. Did you mean PARLEY_API_KEY?')
    expect(message).not.toContain(key)
    expect(problems).toHaveLength(1)
  })

  it.each([
    ['PARLEY_API_KEY_FILE', 'apiKey', key],
    ['OPENAI_API_KEY_FILE', 'openai.apiKey', 'sk-1'],
    ['ANTHROPIC_API_KEY_FILE', 'anthropic.apiKey', 'sk-2'],
    ['GEMINI_API_KEY_FILE', 'gemini.apiKey', 'ai-3'],
    ['DATABASE_URL_FILE', 'databaseUrl', 'postgres://ada:pw@db.test/app'],
  ])('%s names a file that holds %s', (name, setting, secret) => {
    const { load } = arrange({ 'work/secret': `${secret}\r\n` })
    const { config, origins, warnings } = load({ env: { [name]: 'secret' } })
    expect(config).toHaveProperty(setting, secret)
    expect(origins[setting]).toEqual({ source: 'environment', name })
    expect(warnings).toEqual([])
  })

  it('says what is wrong with a secret file', () => {
    const { fail, cwd } = arrange({ 'work/empty': ' \n', 'work/short': 'tooshort' })
    const message = (env: Record<string, string>) => fail({ env }).message
    expect(message({ PARLEY_API_KEY_FILE: 'missing' })).toBe(
      'PARLEY_API_KEY_FILE names "missing", which does not exist.',
    )
    expect(message({ PARLEY_API_KEY_FILE: 'empty' })).toBe(
      'PARLEY_API_KEY_FILE names "empty", which is empty.',
    )
    expect(message({ PARLEY_API_KEY_FILE: cwd })).toMatch(/which is not a file\.$/)
    expect(message({ PARLEY_API_KEY_FILE: 'short' })).toMatch(
      /^PARLEY_API_KEY_FILE must be at least 16 .*\(it has 8 characters\)\.$/,
    )
    expect(message({ PARLEY_API_KEY_FILE: 'short', PARLEY_API_KEY: key })).toBe(
      'PARLEY_API_KEY and PARLEY_API_KEY_FILE are both set. Unset one of them.',
    )
  })
})
