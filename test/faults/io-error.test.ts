import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { ParleyError } from '../../src/core/protocol/error.ts'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { createParley } from '../../src/index.ts'
import { temporaryFolder } from '../harness.ts'
import { startServer } from '../server-process.ts'
import { needProgram } from '../runner/provision.ts'

// which call fails, with what, from which one on and then every how many
const faults = [
  { call: 'fsync,fdatasync', error: 'EIO', when: '20+31' },
  { call: 'pwrite64', error: 'EIO', when: '200+97' },
  { call: 'pwrite64', error: 'ENOSPC', when: '200+97' },
]

it.each(faults)(
  'stores what it acknowledged when $call fails with $error now and then',
  async ({ call, error, when }) => {
    using folder = temporaryFolder()
    const env = { PARLEY_DATA_DIR: folder.path }
    const first = await startServer({ env })
    const { id } = await createClient({ baseUrl: first.url }).sessions.create()
    await first.kill('SIGTERM')

    const wrapper = [
      await needProgram('strace'),
      '-D',
      '-f',
      '-o',
      '/dev/null',
      '-e',
      `trace=${call}`,
      '-e',
      `inject=${call}:error=${error}:when=${when}`,
    ]
    const server = await startServer({ env, wrapper })
    const { sessions } = createClient({ baseUrl: server.url })
    const acknowledged: string[] = []
    const refused = new Map<string, number>()
    for (let index = 0; index < 400; index++) {
      const text = `text ${index}`
      try {
        await sessions.append(id, { role: 'user', content: text })
        acknowledged.push(text)
      } catch (refusal) {
        expect(refusal).toBeInstanceOf(ParleyError)
        const { code } = refusal as ParleyError
        refused.set(code, (refused.get(code) ?? 0) + 1)
      }
    }
    await server.kill('SIGKILL')
    expect(refused.size, 'nothing failed').toBeGreaterThan(0)
    expect(
      [...refused.keys()].filter((code) => !['store_unavailable', 'storage_full'].includes(code)),
    ).toEqual([])
    process.stdout.write(
      `${call} ${error}: ${acknowledged.length} acknowledged, ${[...refused.values()].reduce((a, b) => a + b, 0)} refused\n`,
    )

    await using parley = await createParley({ dataDir: folder.path })
    expect(await parley.store.checkIntegrity()).toBeUndefined()
    const stored: string[] = []
    for (let page = await parley.sessions.messages(id, { after: 0, limit: 200 }); ;) {
      stored.push(...page.items.map(messageText))
      if (page.nextCursor === null) break
      page = await parley.sessions.messages(id, { after: Number(page.nextCursor), limit: 200 })
    }
    expect(acknowledged.filter((text) => !stored.includes(text))).toEqual([])
    expect(new Set(stored).size).toBe(stored.length)
    expect(acknowledged.length).toBeGreaterThan(100)
  },
)
