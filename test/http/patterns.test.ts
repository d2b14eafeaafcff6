/** Patterns that would keep a matcher busy for minutes, from everybody who can give one, against a real server. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../harness.ts'
import { startServer } from '../server-process.ts'

const name = 'a'.repeat(250)
const hostile = [
  `${'*a'.repeat(400)}b`,
  `${'**/a*a*/'.repeat(100)}b`,
  `${'?*'.repeat(400)}b`,
  `${'[a-z]*'.repeat(150)}!`,
  `${'{*a,*a*a}'.repeat(3)}${'*a'.repeat(50)}b`,
]

const doubled = (definition: string) => ({ $ref: `#/$defs/${definition}` })
/** Schemas that have a billion ways to be tried. */
const costly = [
  {
    type: 'object',
    allOf: [doubled('a0')],
    $defs: {
      ...Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [
          `a${at}`,
          { anyOf: [doubled(`a${at + 1}`), doubled(`a${at + 1}`)] },
        ]),
      ),
      a30: { type: 'string' },
    },
  },
  {
    type: 'object',
    properties: Array.from({ length: 29 }).reduce<object>(
      (inner) => ({ a: { type: ['object', 'object'], properties: inner } }),
      {},
    ),
  },
]

it('hold up nobody as schemas of what is handed in', async () => {
  using folder = temporaryFolder()
  const server = await startServer({ env: { PARLEY_DATA_DIR: folder.path } })
  const send = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, text: await answer.text() }
  }
  try {
    const { id } = JSON.parse((await send('POST', '/api/sessions', {})).text) as { id: string }
    for (const schema of costly) {
      const definition = {
        name: 'evil',
        steps: [{ id: 'a', type: 'agent', prompt: 'Go', sessionConfig: { outputSchema: schema } }],
      }
      const tries: [method: string, path: string, body: object][] = [
        ['POST', '/api/sessions', { kind: 'background', prompt: 'Go', outputSchema: schema }],
        ['POST', '/api/crons', { schedule: '0 0 1 1 *', prompt: 'Go', outputSchema: schema }],
        ['PUT', `/api/sessions/${id}/window`, { mode: 'memo', memo: { schema } }],
        ['POST', '/api/workflows', { text: JSON.stringify(definition) }],
        ['POST', '/api/workflows/validate', { text: JSON.stringify(definition) }],
      ]
      for (const [method, path, body] of tries) {
        const { status, text } = await send(method, path, body)
        expect([200, 400, 422], `${path}: ${text}`).toContain(status)
        expect(text, path).toMatch(/cannot be used/)
      }
    }
  } finally {
    await server.kill('SIGTERM')
  }
})

it('hold up nobody, in rules of a scope, of a session, and in calls of tools', async () => {
  using folder = temporaryFolder()
  const root = join(folder.path, 'scope')
  mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, name, `${name}.txt`), 'found')
  const config = join(folder.path, 'own.yaml')
  writeFileSync(config, `scopes: { default: { root: ${root} } }\n`)
  const server = await startServer({
    env: { PARLEY_DATA_DIR: join(folder.path, 'data'), PARLEY_CONFIG: config },
  })
  const send = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, text: await answer.text() }
  }
  try {
    const rules = hostile.flatMap((path) => [
      { tool: 'file', path, decision: 'deny' },
      { tool: path.replaceAll('/', ''), decision: 'deny' },
      { tool: 'web_fetch', path: `https://${path.replaceAll('/', '')}/`, decision: 'deny' },
    ])
    const accepted = await send('PATCH', '/api/settings', { permissionRules: rules })
    expect([200, 400], accepted.text).toContain(accepted.status)
    for (const rule of rules) {
      const { status, text } = await send('POST', '/api/sessions', { permissionRules: [rule] })
      // refused with a reason, or harmless
      expect([201, 400], text).toContain(status)
      if (status === 400) expect(text).toContain('is a pattern that')
      else {
        const { id } = JSON.parse(text) as { id: string }
        const order = `use file {"action": "read", "path": "${name}/${name}.txt"}`
        const answered = await send('POST', `/api/sessions/${id}/chat`, { content: order })
        expect(answered.status, answered.text).toBe(200)
      }
    }
    const { text } = await send('POST', '/api/sessions', {})
    const { id } = JSON.parse(text) as { id: string }
    for (const pattern of hostile)
      for (const input of [
        { action: 'glob', pattern },
        { action: 'grep', pattern: 'found', files: pattern.slice(0, 256) },
      ]) {
        const content = `use file ${JSON.stringify(input)}`
        const answered = await send('POST', `/api/sessions/${id}/chat`, { content })
        expect(answered.status, answered.text).toBe(200)
      }
  } finally {
    await server.kill('SIGTERM')
  }
})
