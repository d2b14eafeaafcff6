import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Hono } from 'hono'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { AppEnv } from '../../src/core/http/request-environment.ts'
import { serve } from '../../src/server/serve.ts'

it('is stopped when nothing works on a request any more, also on one whose connection was closed', async () => {
  const begun = Promise.withResolvers<void>()
  const cutOff = Promise.withResolvers<void>()
  const stored = Promise.withResolvers<void>()
  const app = new Hono<AppEnv>().post('/', async (context) => {
    context.req.raw.signal.addEventListener('abort', () => cutOff.resolve())
    begun.resolve()
    await cutOff.promise
    // such as a message that is being stored
    await stored.promise
    return context.text('done')
  })
  const server = await serve(app, { host: '127.0.0.1', port: 0 })
  const answer = fetch(server.url, { method: 'POST' }).catch((error: unknown) => error)
  await begun.promise
  // only the time that requests are given goes by: nobody gives up on the handler
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let isStopped = false
  const stopped = server.stop(20).then(() => (isStopped = true))
  await vi.advanceTimersByTimeAsync(20)
  await cutOff.promise
  expect(await answer).toBeInstanceOf(TypeError)
  // closed for everybody by now, and still not stopped
  await expect(fetch(server.url)).rejects.toThrow(TypeError)
  expect(isStopped).toBe(false)
  stored.resolve()
  expect(await stopped).toBe(true)
})

it('is stopped although a handler never ends, in a process that nothing else keeps', async () => {
  const program = `
    import { Hono } from 'hono'
    import { serve } from '${new URL('../../src/server/serve.ts', import.meta.url).href}'
    const begun = Promise.withResolvers()
    const app = new Hono().get('/', () => (begun.resolve(), new Promise(() => {})))
    const server = await serve(app, { host: '127.0.0.1', port: 0 })
    fetch(server.url).catch(() => {})
    await begun.promise
    await server.stop(20)
    console.log('stopped')
  `
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  expect(stdout).toContain('stopped')
})
