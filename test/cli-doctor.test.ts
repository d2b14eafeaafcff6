import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { once } from 'node:events'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import type { Finding } from '../src/cli/doctor-finding.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { migrateAsBefore } from './schema-fixture.ts'
import { openSqlite } from '../src/core/store/sqlite/open.ts'
import { runner } from './command-line.ts'
import { postgresDatabase, temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'
import { need, needProgram } from './runner/provision.ts'

/** What the doctor says of one check in an environment. */
async function examine(home: string, env: Record<string, string> = {}) {
  const { code, stdout } = await runner(home)(['doctor', '--json'], { env: { PARLEY_PORT: '0', ...env } })
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
  expect(code).toBe(ok ? 0 : 1)
  for (const finding of findings)
    if (!finding.ok) expect(finding.next, `${finding.check} does not say what to do`).toBeTruthy()
  return (check: string) => findings.find((finding) => finding.check === check)
}

const says = (detail: RegExp, next: RegExp, ok = false) => ({
  ok,
  detail: expect.stringMatching(detail),
  next: expect.stringMatching(next),
})

async function listen(server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: String((server.address() as AddressInfo).port), [Symbol.dispose]: () => server.close() }
}

it('changes nothing where all is well', async () => {
  using folder = temporaryFolder()
  const of = await examine(folder.path)
  for (const check of ['node', 'configuration', 'data folder', 'store', 'port', 'model'])
    expect(of(check), check).toMatchObject({ ok: true })
  expect(of('store')?.detail).toContain('the first start makes one')
  expect(existsSync(join(folder.path, 'data'))).toBe(false)
})

it('says whether commands are confined, and what to do where they are not', async () => {
  using folder = temporaryFolder()
  const bubblewrap = await needProgram('bwrap')
  const settings = (text: string) => {
    mkdirSync(join(folder.path, '.config', 'parley'), { recursive: true })
    writeFileSync(join(folder.path, '.config', 'parley', 'config.yaml'), text)
  }
  settings(`terminal: { bubblewrap: ${bubblewrap} }`)
  expect((await examine(folder.path))('sandbox')).toEqual({
    check: 'sandbox',
    ok: true,
    detail: `active (bubblewrap, ${bubblewrap}), no network`,
  })
  settings(`terminal: { bubblewrap: ${bubblewrap}, hosts: [registry.npmjs.org] }`)
  expect((await examine(folder.path))('sandbox')?.detail).toContain('registry.npmjs.org')
  settings('terminal: { bubblewrap: /nonexistent/bwrap }')
  expect((await examine(folder.path))('sandbox')).toMatchObject(
    says(/each command needs approval/, /bubblewrap/, true),
  )
  const off = await examine(folder.path, { PARLEY_TERMINAL_SANDBOX: 'off' })
  expect(off('sandbox')).toMatchObject(says(/^off/, /terminal\.sandbox/, true))
})

it('names a misspelt setting, in words and as JSON', async () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'parley.yaml'), 'prot: 5000\n')
  const of = await examine(folder.path)
  expect(of('configuration')).toMatchObject(says(/Unknown key "prot".*Did you mean "port"/, /correct it/))
  const { code, stdout } = await runner(folder.path)(['doctor'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/FAIL +configuration +Unknown key "prot"[^\n]*\n +→ correct it/)
})

it('says what to do about a port that is taken, a folder that is none, and a provider that refuses the key', async () => {
  using folder = temporaryFolder()
  using taken = await listen(createServer())
  using provider = await listen(createHttpServer((_request, response) => response.writeHead(401).end()))
  writeFileSync(join(folder.path, 'data'), 'a file')
  const key = 'sk-wrong-key-of-somebody'
  const of = await examine(folder.path, {
    PARLEY_PORT: taken.port,
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `http://127.0.0.1:${provider.port}/v1`,
    PARLEY_MODEL: 'anthropic/claude',
  })
  expect(of('port')).toMatchObject(says(/is taken by another program/, /PARLEY_PORT/))
  expect(of('data folder')).toMatchObject(says(/is not a folder/, /PARLEY_DATA_DIR/))
  expect(of('openai')).toMatchObject(says(/does not accept the key \(401\)/, /OPENAI_API_KEY/))
  expect(JSON.stringify(of('openai'))).not.toContain(key)
  expect(of('model')).toMatchObject(says(/ANTHROPIC_API_KEY/, /PARLEY_MODEL/))
})

it('says which models a provider has when it has not the one that is set, and what is wrong with a host', async () => {
  using folder = temporaryFolder()
  const list = JSON.stringify({ data: [{ id: 'small' }, { id: 'large' }] })
  using provider = await listen(createHttpServer((_request, response) => response.end(list)))
  const of = await examine(folder.path, {
    PARLEY_HOST: '192.0.2.1',
    PARLEY_API_KEY: 'a-key-of-more-than-16-characters',
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: `http://127.0.0.1:${provider.port}/v1`,
    PARLEY_MODEL: 'openai/medium',
    OLLAMA_HOST: 'http://127.0.0.1:1',
  })
  expect(of('port')).toMatchObject(says(/192\.0\.2\.1 is no address of this machine/, /PARLEY_HOST/))
  expect(of('openai')).toMatchObject({ ok: true, detail: expect.stringContaining('2 models') })
  expect(of('model')).toMatchObject(says(/does not list/, /openai\/small, openai\/large/, true))
  expect(of('ollama')).toMatchObject(says(/could not be reached/, /ollama serve/))
  const unset = await examine(folder.path, { OPENAI_BASE_URL: `http://127.0.0.1:${provider.port}/v1` })
  expect(unset('model')).toMatchObject({ ok: true, detail: 'openai/small' })
})

it('tells of a schema that is older or newer and of keys that are torn, and leaves all as it is', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'data', 'parley.db')
  const backend = openSqlite({ file, synchronous: 'FULL', busyTimeoutMs: 100 }, systemClock)
  await migrateAsBefore(backend, 3)
  await backend.close()
  // only a server closes it
  chmodSync(join(folder.path, 'data'), 0o755)
  const bytes = readFileSync(file)
  writeFileSync(join(folder.path, 'data', 'credentials.json'), 'torn')
  const older = await examine(folder.path)
  expect(older('store')).toMatchObject(says(/schema version 3; the next start/, /parley backup/, true))
  expect(older('stored keys')).toMatchObject(says(/does not hold the keys of providers/, /again/))
  expect(older('data folder')).toMatchObject(says(/others on this machine can look/, /chmod 700/, true))
  expect(readFileSync(file).equals(bytes)).toBe(true)
  using database = new DatabaseSync(file)
  database.exec(`insert into schema_versions (number, name) values (9999, 'future')`)
  const newer = await examine(folder.path)
  expect(newer('store')).toMatchObject(says(/9999, but this Parley knows versions up to/, /newer Parley/))
})

it('names a database that is none, and how to put a backup in its place', async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'data'), { mode: 0o700 })
  writeFileSync(join(folder.path, 'data', 'parley.db'), 'this is no database, and much too short to be one')
  const { code, stdout } = await runner(folder.path)(['doctor'], { env: { PARLEY_PORT: '0' } })
  expect(code).toBe(1)
  expect(stdout).toMatch(/FAIL +store .*not a SQLite database\.\n +→ .*parley restore/)
})

it('finds a running server, and whether it takes the key', async () => {
  using folder = temporaryFolder()
  const key = 'a-key-of-more-than-16-characters'
  const env = { PARLEY_DATA_DIR: join(folder.path, 'data'), PARLEY_API_KEY: key }
  const server = await startServer({ env })
  const { port } = new URL(server.url)
  const right = await examine(folder.path, { PARLEY_PORT: port, PARLEY_API_KEY: key })
  expect(right('port')).toMatchObject({ ok: true, detail: expect.stringContaining('a Parley') })
  expect(right('key')).toMatchObject({ ok: true })
  const wrong = await examine(folder.path, { PARLEY_PORT: port, PARLEY_API_KEY: `${key}-of-another` })
  expect(wrong('key')).toMatchObject(says(/does not accept the key/, /PARLEY_API_KEY/))
  await server.kill('SIGTERM')
})

it('tells why PostgreSQL cannot be used', async () => {
  using folder = temporaryFolder()
  const url = new URL((await need('postgres')).url)
  const storeAt = async (change: (url: URL) => void) => {
    const changed = new URL(url)
    change(changed)
    return (await examine(folder.path, { DATABASE_URL: changed.href }))('store')
  }
  expect(await storeAt((u) => (u.port = '1'))).toMatchObject(says(/nothing listens at/, /start PostgreSQL/))
  expect(await storeAt((u) => (u.password = 'wrong'))).toMatchObject(
    says(/does not let postgres in \(28P01\)/, /DATABASE_URL/),
  )
  expect(await storeAt((u) => (u.pathname = '/parley_missing'))).toMatchObject(
    says(/has no database parley_missing/, /createdb parley_missing/),
  )
  await using database = await postgresDatabase()
  const of = await examine(folder.path, { DATABASE_URL: database.environment.DATABASE_URL! })
  expect(of('store')).toMatchObject({ ok: true, detail: expect.stringMatching(/postgres, schema version/) })
  expect(of('clock')).toMatchObject({ ok: true, detail: expect.stringContaining('agrees') })
})

it('tells when the disk is nearly full', async () => {
  using folder = temporaryFolder()
  const disk = join(folder.path, 'data')
  mkdirSync(disk)
  const isRoot = process.getuid?.() === 0
  const inside = `mount -t tmpfs -o size=8m,mode=700 tmpfs ${disk} && exec "$@"`
  const main = join(import.meta.dirname, '..', 'src', 'cli', 'compiled.js')
  const args = [...(isRoot ? [] : ['-Ur']), '-m', 'sh', '-c', inside, 'sh', process.execPath, main, 'doctor']
  const env = { PATH: process.env.PATH, HOME: folder.path, PARLEY_DATA_DIR: disk, PARLEY_PORT: '0' }
  const unshare = await needProgram('unshare')
  const stdout = await new Promise<string>((resolve) =>
    execFile(unshare, args, { env, cwd: folder.path }, (_error, text) => resolve(text)),
  )
  expect(stdout).toMatch(/FAIL +data folder .*only \d MiB are free\n +→ make room/)
})
