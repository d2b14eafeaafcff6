import { expect, it } from 'vitest'
import { arrange } from '../../test/config-arrange.ts'
import { secretsOf } from './secrets.ts'

it('finds every secret of a configuration, and the passwords inside of addresses', () => {
  const { load } = arrange({
    user: `
openai: {apiKey: sk-openai-1234}
apiKeys: [{name: desk, key: bound-key-12345678, scopes: [default]}]
mcpServers:
  one: {command: run, args: [argument-1234], env: {TOKEN: variable-1234, PORT: '8080'}}
  two: {type: http, url: 'https://x.test/?api_key=parameter-1234', headers: {authorization: header-1234}}
telemetry: {headers: {x-key: collector-1234}}
model: openai/gpt-model
`,
  })
  const { config } = load({ env: { DATABASE_URL: 'postgres://me:p%40ssword-1@db/parley' } })
  const found = secretsOf(config)
  expect(found).toEqual(
    expect.arrayContaining([
      'sk-openai-1234',
      'bound-key-12345678',
      'argument-1234',
      'variable-1234',
      'parameter-1234',
      'header-1234',
      'collector-1234',
      'p%40ssword-1',
      'p@ssword-1',
    ]),
  )
  // what is shown as it is
  for (const plain of ['run', 'openai/gpt-model', 'desk', 'default', '127.0.0.1', ''])
    expect(found).not.toContain(plain)
})
