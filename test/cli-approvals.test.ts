import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { askPerson } from '../src/core/command-line/ask-person.ts'
import { createClient } from '../src/client/index.ts'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'

const write = `use file ${JSON.stringify({ action: 'write', path: 'a.md', content: 'A' })}`

it('asks nobody in a run, says so, and does it when it may', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const refused = await parley(['run', write])
  expect(refused).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(
      /refused, since nobody could be asked: file \(--permission-mode acceptEdits/,
    ),
  })
  const json = JSON.parse((await parley(['run', write, '--json'])).stdout)
  expect(json.run.outcome.denied).toEqual([{ toolName: 'file', by: 'headless' }])
  const allowed = await parley(['run', write, '--permission-mode', 'acceptEdits', '--json'])
  expect(allowed.code).toBe(0)
  const { session } = JSON.parse(allowed.stdout)
  expect(readFileSync(join(folder.path, 'data', 'workspaces', session, 'a.md'), 'utf8')).toBe('A')
  expect(await parley(['run', write, '--permission-mode', 'yes'])).toMatchObject({ code: 2 })
})

it('decides from another terminal about what a server asks', async () => {
  using folder = temporaryFolder()
  const server = await startServer({ env: { PARLEY_DATA_DIR: join(folder.path, 'served') } })
  onTestFinished(async () => void (await server.kill()))
  const client = createClient({ baseUrl: server.url })
  const parley = runner(folder.path)
  const at = ['--url', server.url]
  expect(await parley(['approvals', ...at])).toMatchObject({ code: 0, stderr: 'Nothing waits.\n' })
  const { id } = await client.sessions.create()
  await client.sessions.send(id, write)
  await expect.poll(async () => (await client.approvals.list()).items.length).toBe(1)
  const listed = await parley(['approvals', 'list', ...at])
  const [approvalId = ''] = /apr_\w+/.exec(listed.stdout) ?? []
  expect(listed.stdout).toMatch(
    /session ses_\w+, until .*\n\? file write: .*a\.md\n {2}It changes something\./,
  )
  const decided = await parley(['approvals', 'approve', approvalId, '--always', ...at])
  expect(decided).toMatchObject({ code: 0, stderr: 'approved: file write\n' })
  await expect.poll(async () => (await client.sessions.get(id)).chatStatus).toBe('idle')
  expect((await client.sessions.get(id)).permissionRules).toHaveLength(1)
  expect(await parley(['approvals', 'deny', approvalId, ...at])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is approved'),
  })
})

it('offers a key that is bound to scopes no answer that would be refused', async () => {
  using folder = temporaryFolder()
  const [operator, guest] = ['operator-0123456789', 'guest-0123456789012']
  const config = join(folder.path, 'config.yaml')
  writeFileSync(config, `apiKey: ${operator}\napiKeys: [{ name: guest, key: ${guest}, scopes: [default] }]\n`)
  const server = await startServer({
    env: { PARLEY_DATA_DIR: join(folder.path, 'served'), PARLEY_CONFIG: config },
  })
  onTestFinished(async () => void (await server.kill()))
  const client = createClient({ baseUrl: server.url, apiKey: operator })
  /** What a person is asked, who then types a line. */
  const asked = async (apiKey: string, approvalId: string, line: string) => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const terminal = createInterface({ input, output })
    let shown = ''
    output.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
      input.write(`${line}\n`)
    })
    const { approvals } = createClient({ baseUrl: server.url, apiKey })
    await askPerson(approvals, terminal, approvalId, undefined)
    terminal.close()
    return shown
  }
  const ask = async (order: string) => {
    const { id } = await client.sessions.create()
    await client.sessions.send(id, order)
    await expect.poll(async () => (await client.approvals.list({ session: id })).items.length).toBe(1)
    return (await client.approvals.list({ session: id })).items[0]!.id
  }
  const first = await ask(write)
  const refused = await runner(folder.path)(
    ['approvals', 'approve', first, '--always', '--url', server.url],
    {
      env: { PARLEY_API_KEY: guest },
    },
  )
  expect(refused).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('may not have an approval remembered'),
  })
  expect((await client.approvals.get(first)).status).toBe('pending')
  expect(await asked(guest, first, 'y')).toContain('allow it? [y]es, [n]o: ')
  expect((await client.approvals.get(first)).status).toBe('approved')
  // a letter that was not offered is no yes
  const second = await ask(write)
  expect(await asked(guest, second, 'a')).toContain('allow it? [y]es, [n]o: ')
  expect((await client.approvals.get(second)).status).toBe('denied')
  const outside = await ask(`use file ${JSON.stringify({ action: 'read', path: '/srv/elsewhere/a.md' })}`)
  expect(await asked(guest, outside, 'y')).toContain('allow it? [n]o: ')
  expect((await client.approvals.get(outside)).status).toBe('denied')
  const third = await ask(write)
  expect(await asked(operator, third, 'a')).toContain('[y]es, [a]lways exactly this in this session, [n]o: ')
})
