import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { resolveBySystem } from '../../src/core/net/checked-request.ts'
import { createWebTools, type WebDeps, type WebSettings } from '../../src/extensions/web/web-tools.ts'
import { runTool, startSite, type Site } from '../web-sites.ts'

/**
 * What must never be reached by a page that a model asks for. The canary listens on every address of this machine;
 * each URL would lead to it, or to a place like it, for somebody who reads URLs, names or addresses less strictly.
 */
const startCanary = () => startSite((_request, response) => response.end('SECRET'), null)

const fetchTool = (settings: WebSettings, deps: WebDeps = {}) => createWebTools(settings, deps)[0]!

const own = Object.values(networkInterfaces()).flatMap((addresses) =>
  (addresses ?? []).map(({ address, family }) =>
    family === 'IPv6' ? `[${address.split('%')[0]}]` : address,
  ),
)

/** Hosts that are or hide an address which is not public. */
const hosts = [
  // loopback, and every way to write it
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '0.0.0.0.',
  '00.00.00.00',
  '2130706433',
  '2130706433.',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0000177.0000.0000.0001',
  '0x7f000001',
  '0x7F000001',
  '0x7f.1',
  '0x7f.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '0X7F.0X0.0X0.0X1',
  '127.0x0.0.1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '127。0。0。1',
  '127.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127.0.0.1%00',
  'localhost',
  'LOCALHOST',
  'LocalHost',
  'localhost.',
  'localhost..',
  'ⓛocalhost',
  'loc%61lhost',
  'localhost.localdomain',
  'localhost6',
  'ip6-localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0.0.0.1]',
  '[::]',
  '[0:0:0:0:0:0:0:0]',
  // IPv4 within IPv6
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:7F00:0001]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::ffff:0.0.0.0]',
  '[::ffff:0:0]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:1::1]',
  '[2002:a9fe:a9fe::]',
  '[2001::7f00:1]',
  '[2001:0:7f00:1::]',
  '[2606:4700::5efe:7f00:1]',
  // private, shared, link-local and those of clouds
  '10.0.0.1',
  '10.255.255.255',
  '0xa000001',
  '012.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '3232235777',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '169.254.43518',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '168.63.129.16',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fe80::1]',
  '[fec0::1]',
  // for many, for tests, for nobody
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '198.18.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '240.0.0.1',
  '[ff02::1]',
  '[2001:db8::1]',
  '[2001:2::1]',
  '[100::1]',
  '[3fff::1]',
  '[4000::1]',
  // names; the resolver of this test has 127.0.0.1 for all of them
  'localtest.me',
  '127.0.0.1.nip.io',
  'metadata.google.internal',
  'metadata',
  'kubernetes.default.svc',
  'host.docker.internal',
  'example.com',
  'example.com.',
  'пример.рф',
  'xn--e1afmkfd.xn--p1ai',
  'a_b.example.com',
  ...own,
]

/** Whole URLs: `CANARY` is the host and port of the canary. */
const urls = [
  'http://user@CANARY/',
  'http://user:pass@CANARY/',
  'http://example.com@CANARY/',
  'http://example.com:80@CANARY/',
  'http://example.com%40CANARY/',
  'http://CANARY#@example.com/',
  'http://CANARY?@example.com/',
  'http://CANARY\\@example.com/',
  'http://example.com\\@CANARY/',
  'http:\\\\CANARY/',
  'http:/CANARY/',
  'http:CANARY/',
  'http:///CANARY/',
  'http:////CANARY/',
  ' http://CANARY/ ',
  'http://CANARY/\r\nX-Evil: yes',
  'http://CANARY/%0d%0aX-Evil:%20yes',
  'http://exam\nple.com@CANARY/',
  'ht\ttp://CANARY/',
  '\u0000http://CANARY/',
  'http://CANARY\u0000.example.com/',
  'https://CANARY/',
  'HTTP://CANARY/',
  '//CANARY/',
  'CANARY',
  'ftp://CANARY/',
  'ftps://CANARY/',
  'gopher://CANARY/_GET%20/',
  'dict://CANARY/x',
  'ldap://CANARY/',
  'tftp://CANARY/',
  'ws://CANARY/',
  'wss://CANARY/',
  'jar:http://CANARY/!/',
  'view-source:http://CANARY/',
  'blob:http://CANARY/x',
  'feed:http://CANARY/',
  'file:///etc/passwd',
  'file://localhost/etc/passwd',
  'file:/etc/passwd',
  '/etc/passwd',
  'data:text/html,SECRET',
  'javascript:fetch("http://CANARY/")',
  'about:blank',
  'node:fs',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/info',
  'http://[::1%25lo]/',
  'http://[::1',
  'http://',
  'http://:80/',
  'http://./',
  'http://*/',
  'http://127.0.0.1:99999/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
]

const refused =
  /not on the public internet|Only http:|control characters|user name or a password|is not a URL/

const everyNameIsLoopback = async () => ['127.0.0.1']

const attempts = (canary: Site) => [
  ...hosts.flatMap((host) => [`http://${host}:${canary.port}/`, `http://${host}/`]),
  ...urls.map((url) => url.replaceAll('CANARY', `127.0.0.1:${canary.port}`)),
]

describe('a page that a model asks for', () => {
  it('is never one of this machine or its network, however the URL is written', async () => {
    const canary = await startCanary()
    const tool = fetchTool({ timeoutMs: 60_000 }, { resolve: everyNameIsLoopback })
    const tried = attempts(canary)
    expect(new Set(tried).size).toBeGreaterThan(250)
    // refused for what it is, not because a connection failed
    for (const url of tried) await expect(runTool(tool, { url }), url).rejects.toThrow(refused)
    expect(canary.connections()).toBe(0)
  })

  it('and not by the names that this machine itself knows', async () => {
    const canary = await startCanary()
    const tool = fetchTool({ timeoutMs: 60_000 })
    for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost', ...own])
      await expect(runTool(tool, { url: `http://${host}:${canary.port}/` }), host).rejects.toThrow()
    expect(canary.connections()).toBe(0)
    expect(await resolveBySystem('localhost')).toEqual(
      expect.arrayContaining([expect.stringMatching(/127|::1/)]),
    )
  })

  it('is not where a redirect leads either', async () => {
    const canary = await startCanary()
    const tried = attempts(canary).filter((url) => !/[\r\n\0]/.test(url))
    const site = await startSite((request, response) => {
      const url = tried[Number(request.url!.slice(1))]
      if (url === undefined) response.end('the site itself')
      else response.writeHead(302, { location: Buffer.from(url).toString('latin1') }).end()
    })
    const tool = fetchTool(
      { allowPrivate: ['public.test'], timeoutMs: 60_000 },
      { resolve: everyNameIsLoopback },
    )
    for (const [number, url] of tried.entries()) {
      const asked = runTool(tool, { url: `http://public.test:${site.port}/${number}` })
      // what is relative to the site leads to the site
      const answer = await asked.catch((error: Error) => error.message)
      expect(JSON.stringify(answer), url).not.toContain('SECRET')
    }
    expect(site.connections()).toBeGreaterThanOrEqual(tried.length)
    expect(canary.connections()).toBe(0)
  })

  it.each([301, 302, 303, 307, 308])(
    'also by status %i, and at the last of several steps',
    async (status) => {
      const canary = await startCanary()
      const site = await startSite((request, response) => {
        const step = Number(request.url!.slice(1))
        const location = step < 4 ? `/${step + 1}` : `http://localhost:${canary.port}/`
        response.writeHead(status, { location }).end()
      })
      const tool = fetchTool({ allowPrivate: ['public.test'] }, { resolve: everyNameIsLoopback })
      await expect(runTool(tool, { url: `http://public.test:${site.port}/0` })).rejects.toThrow(
        'The page redirects to "http://localhost',
      )
      expect(site.connections()).toBe(5)
      expect(canary.connections()).toBe(0)
    },
  )

  it('is refused when only one of the addresses of its name is private', async () => {
    const canary = await startCanary()
    const answers = [
      ['93.184.216.34', '127.0.0.1'],
      ['127.0.0.1', '93.184.216.34'],
      ['2606:4700::1', '::1'],
      ['93.184.216.34', '::ffff:7f00:1'],
      ['93.184.216.34', 'not-an-address'],
      [],
    ]
    for (const answer of answers) {
      const tool = fetchTool({}, { resolve: async () => answer })
      await expect(runTool(tool, { url: `http://rebind.test:${canary.port}/` })).rejects.toThrow(
        /is not on the public internet|has no address/,
      )
    }
    expect(canary.connections()).toBe(0)
  })
})

describe('a name whose address changes', () => {
  it('is looked up once, and the connection goes to the address that was checked', async () => {
    const canary = await startSite((_request, response) => response.end('SECRET'), '127.0.0.1')
    const site = await startSite(
      ({ headers }, response) => response.end(`for ${headers.host}`),
      '127.0.0.2',
      canary.port,
    )
    let lookups = 0
    const resolve = async () => [lookups++ === 0 ? '127.0.0.2' : '127.0.0.1']
    const tool = fetchTool({ allowPrivate: ['127.0.0.2'] }, { resolve })
    const url = `http://rebind.test:${canary.port}/`
    expect(await runTool(tool, { url })).toMatchObject({ url, text: `for rebind.test:${canary.port}` })
    expect(lookups).toBe(1)
    expect(site.connections()).toBe(1)
    // and is checked anew the next time
    await expect(runTool(tool, { url })).rejects.toThrow('not on the public internet')
    expect(canary.connections()).toBe(0)
  })

  it('is checked anew at each redirect to itself', async () => {
    const canary = await startSite((_request, response) => response.end('SECRET'), '127.0.0.1')
    await startSite(
      (_request, response) => response.writeHead(302, { location: '/' }).end(),
      '127.0.0.2',
      canary.port,
    )
    let lookups = 0
    const resolve = async () => [lookups++ === 0 ? '127.0.0.2' : '127.0.0.1']
    const tool = fetchTool({ allowPrivate: ['127.0.0.2'] }, { resolve })
    await expect(runTool(tool, { url: `http://rebind.test:${canary.port}/` })).rejects.toThrow(
      'not on the public internet',
    )
    expect(lookups).toBe(2)
    expect(canary.connections()).toBe(0)
  })
})
