/** A page that sends a call on to another address does not lead it around the rules for addresses. */
import { expect, it } from 'vitest'
import { createParley } from '../src/parley.ts'
import type { PermissionMode, PermissionRule } from '../src/core/protocol/permission.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'
import { startSite } from './web-sites.ts'

/** What a model is told of a page that leads to another one, and which pages were asked for. */
async function fetchThrough(to: (port: number) => string, mode: PermissionMode, ...rules: PermissionRule[]) {
  using folder = temporaryFolder()
  const asked: string[] = []
  const other = await startSite((_request, response) => void response.end('SECRET of another port'))
  const site = await startSite(({ url }, response) => {
    asked.push(url!)
    if (url === '/start') response.writeHead(302, { location: to(other.port) }).end()
    else response.end('SECRET of another page')
  })
  const start = `http://127.0.0.1:${site.port}/start`
  const seen: string[] = []
  const script: Script = (request, call) => {
    seen.push(JSON.stringify(request))
    return call === 1 ? calls(['web_fetch', { url: start }]) : says('Done.')
  }
  const parley = await createParley({
    dataDir: folder.path,
    models: { model: 'scripted/test', extra: { scripted: () => createScripted(script) } },
    web: { allowPrivate: ['127.0.0.1'] },
    permissions: {
      mode,
      rules: rules.map((rule) => ({
        ...rule,
        path: rule.path?.replace('SITE', `http://127.0.0.1:${site.port}`),
      })),
    },
    shutdownMs: 200,
  })
  const { id } = await parley.sessions.create()
  await parley.sessions.send(id, 'Go on.')
  const last = async () => (await parley.sessions.messages(id)).items.at(-1)?.parts.at(-1)?.text
  await expect.poll(last).toBe('Done.')
  await parley.close()
  return { seen: seen.join('\n'), asked }
}

const rule = (decision: PermissionRule['decision'], path: string): PermissionRule => ({
  tool: 'web_fetch',
  path,
  decision,
})

it.each<[string, string, PermissionMode, PermissionRule[]]>([
  ['a path that is denied', '/admin/x', 'bypassPermissions', [rule('deny', 'SITE/admin/*')]],
  [
    'a path that is denied, in another spelling',
    '/%61dmin/x',
    'bypassPermissions',
    [rule('deny', 'SITE/admin/*')],
  ],
  [
    'a path that a person has to be asked about',
    '/admin/x',
    'default',
    [rule('ask', 'SITE/admin/*'), rule('allow', 'SITE/*')],
  ],
  ['a path that nobody allowed', '/admin/x', 'dontAsk', [rule('allow', 'SITE/start')]],
])('is not sent on to %s', async (_, to, mode, rules) => {
  const { seen, asked } = await fetchThrough(() => to, mode, ...rules)
  expect(asked).toEqual(['/start'])
  expect(seen).toContain('Fetch that address if it is what you want')
  expect(seen).not.toContain('SECRET')
})

it('is not sent on to another port', async () => {
  const { seen } = await fetchThrough((port) => `http://127.0.0.1:${port}/`, 'bypassPermissions')
  expect(seen).not.toContain('SECRET')
})

it('is sent on to another page of the same site where nothing speaks against it', async () => {
  const { seen, asked } = await fetchThrough(
    () => '/other',
    'bypassPermissions',
    rule('deny', 'SITE/admin/*'),
  )
  expect(asked).toEqual(['/start', '/other'])
  expect(seen).toContain('SECRET of another page')
})
