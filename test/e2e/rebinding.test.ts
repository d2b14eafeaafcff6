/** A page of another site, in a real browser: one that is somewhere else, and one whose name was made to lead here. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { addSession, startApp } from '../http/app-server.ts'
import { launchBrowser } from './browser.ts'

it('neither reads nor changes anything here', async () => {
  await using server = await startApp()
  const { id } = await addSession(server, 'default', 'a secret')
  const before = server.dump()
  const site = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>evil</title>'),
  ).listen(0, '127.0.0.1')
  await new Promise((resolve) => site.once('listening', resolve))
  const browser = await launchBrowser([
    '--host-resolver-rules=MAP evil.test 127.0.0.1, MAP *.evil.test 127.0.0.1',
  ])
  try {
    const page = await browser.newPage()
    // rebound: the name of the site leads to this server, and the browser takes its answers for the site's own
    for (const host of [`evil.test:${server.port}`, `localhost.evil.test:${server.port}`]) {
      const answer = await page.goto(`http://${host}/api/sessions`)
      expect(answer!.status(), host).toBe(421)
      expect(await answer!.text()).not.toContain('secret')
      expect(await page.evaluate(attack, { base: '', id })).toEqual(refused(421))
    }
    // from elsewhere: the page is the site's own
    await page.goto(`http://evil.test:${(site.address() as AddressInfo).port}/`)
    for (const base of [`http://127.0.0.1:${server.port}`, `http://localhost:${server.port}`])
      expect(await page.evaluate(attack, { base, id })).toEqual(refused('no answer'))
  } finally {
    await browser.close()
    site.close()
  }
  expect(server.dump()).toBe(before)
  expect(server.bugs()).toEqual([])
})

const refused = (status: number | string) => ({
  reads: Array(3).fill(status),
  writes: Array(4).fill(status),
  stream: 'error',
  socket: 'error',
})

/** Runs in the page; answers what it was told. */
async function attack({ base, id }: { base: string; id: string }) {
  const ask = (path: string, options: RequestInit = {}) =>
    fetch(base + path, options).then(
      ({ status, type }) => (type === 'opaque' ? 'no answer' : status),
      () => 'no answer',
    )
  const outcome = (target: EventTarget, good: string) =>
    new Promise((resolve) => {
      target.addEventListener(good, () => resolve(good))
      target.addEventListener('error', () => resolve('error'))
    })
  const write = (type: string, mode?: RequestMode) =>
    ask('/api/sessions', {
      method: 'POST',
      headers: { 'content-type': type },
      body: '{"title":"theirs"}',
      mode,
    })
  const origin = base === '' ? location.origin : base
  return {
    reads: [
      await ask('/api/sessions'),
      await ask(`/api/sessions/${id}/messages`),
      await ask('/mcp', { method: 'POST', body: '{}' }),
    ],
    writes: [
      await write('application/json'),
      await write('text/plain'),
      await write('application/x-www-form-urlencoded', base === '' ? undefined : 'no-cors'),
      await ask(`/api/sessions/${id}`, { method: 'DELETE' }),
    ],
    stream: await outcome(new EventSource(`${origin}/api/sessions/${id}/observe`), 'open'),
    socket: await outcome(new WebSocket(`${origin.replace('http', 'ws')}/api/events`), 'open'),
  }
}
