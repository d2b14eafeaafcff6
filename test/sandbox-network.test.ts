import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { needProgram } from './runner/provision.ts'
import { openMachine as openPlainMachine } from './sandbox-harness.ts'
import { startSite } from './web-sites.ts'

const page = () => startSite((_request, response) => response.end('the page'), null)
let curl = ''
beforeAll(async () => {
  curl = await needProgram('curl')
})

/** One whose commands can call `curl`, wherever that was found: a command that is missing reaches nobody either. */
const openMachine = (
  settings: Parameters<typeof openPlainMachine>[0] = {},
  places: Parameters<typeof openPlainMachine>[1] = {},
) => openPlainMachine({ readable: [dirname(curl)], ...settings }, places)

const fetched = (url: string) => `${curl} -sS --max-time 5 ${url} 2>&1; echo " → $?"`

/** An address of this machine that others could use, if it has one. */
const ownAddresses = () =>
  Object.values(networkInterfaces()).flatMap((found) =>
    found!.map(({ address, family }) => (family === 'IPv6' ? `[${address.split('%')[0]}]` : address)),
  )

describe('without a network', () => {
  it('a command reaches nobody, by whatever name', async () => {
    const site = await page()
    const { execute } = await openMachine()
    const names = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '0.0.0.0',
      '127.1',
      '2130706433',
      '[::ffff:127.0.0.1]',
      ...ownAddresses(),
    ]
    const { output } = await execute(
      names.map((name) => fetched(`--noproxy "*" http://${name}:${site.port}/`)).join('; '),
      {
        timeout_seconds: 120,
      },
    )
    expect(output.match(/→ [1-9]\d*/g)).toHaveLength(names.length)
    expect(output).not.toContain('→ 127')
    expect(output).not.toContain('the page')
    expect(site.connections()).toBe(0)
  })

  it('a command looks no name up', async () => {
    const { execute } = await openMachine()
    const { output } = await execute(
      `node -e 'require("dns").resolve4("example.com", (e) => console.log(e.code)); require("dns").lookup("example.com", (e) => console.log(e.code))'; ` +
        `node -e 'const s = require("dgram").createSocket("udp4"); s.send("x", 53, "192.0.2.1", (e) => { console.log(e ? e.code : "sent"); s.close() })'`,
      { timeout_seconds: 60 },
    )
    expect(output).not.toMatch(/sent|null/)
    expect(output).toMatch(/ENETUNREACH/)
  })

  it('a command does not get out by sockets of this machine, with or without a path', async () => {
    const { execute, root } = await openMachine()
    const path = join(root, 'outside', 'socket')
    const abstract = `\0parley-test-${process.pid}`
    let connections = 0
    for (const name of [path, abstract]) {
      const server = createServer((_request, response) => response.end('the page')).listen(name)
      server.on('connection', () => connections++)
      onTestFinished(() => void server.close())
    }
    const { output } = await execute(
      `${curl} -sS --max-time 5 --unix-socket ${path} http://x/ 2>&1; ${curl} -sS --max-time 5 --abstract-unix-socket ${abstract.slice(1)} http://x/ 2>&1`,
    )
    expect(output).not.toContain('the page')
    expect(connections).toBe(0)
  })

  it('a command can still be its own server', async () => {
    const { execute } = await openMachine()
    const { output } = await execute(
      `node -e 'const s = require("http").createServer((q, r) => r.end("own")).listen(0, () => fetch("http://127.0.0.1:" + s.address().port).then((r) => r.text()).then((t) => { console.log(t); process.exit() }))'`,
    )
    expect(output).toBe('own\n')
  })
})

describe('a list of hosts', () => {
  it('lets a command reach those, by HTTP and by a tunnel, and nobody else', async () => {
    const [named, other] = [await page(), await page()]
    const { execute } = await openMachine(
      { hosts: [`localhost:${named.port}`] },
      { allowPrivate: ['localhost'] },
    )
    const get = async (url: string, options = '') =>
      (await execute(fetched(`${options} ${url}`), { timeout_seconds: 60 })).output
    expect(await get(`http://localhost:${named.port}/`)).toBe('the page → 0\n')
    expect(await get(`http://localhost:${named.port}/`, '--proxytunnel')).toBe('the page → 0\n')
    const before = named.connections()
    for (const options of ['', '--proxytunnel', '--noproxy "*"', `-H "Host: localhost:${named.port}"`])
      for (const url of [
        `http://localhost:${other.port}/`,
        `http://127.0.0.1:${named.port}/`,
        `http://LOCALHOST.evil.test:${named.port}/`,
        `http://xlocalhost:${named.port}/`,
        `http://user@127.0.0.1:${other.port}/?localhost:${named.port}`,
      ])
        expect(await get(url, options), `${options} ${url}`).not.toContain('the page')
    expect(await get(`http://localhost:${named.port}/`, '--noproxy "*"')).not.toContain('the page')
    expect(other.connections()).toBe(0)
    expect(named.connections()).toBe(before)
  })

  it('says what it refuses, and why', async () => {
    const { execute } = await openMachine({ hosts: ['example.com'] })
    expect((await execute(fetched('http://example.org/'))).output).toContain(
      '"example.org:80" is not among terminal.hosts.',
    )
  })

  it('does not lead to this machine by a name that anybody can point there', async () => {
    const site = await page()
    const { execute } = await openMachine({ hosts: [`localhost:${site.port}`] })
    expect((await execute(fetched(`http://localhost:${site.port}/`))).output).toContain(
      'is not on the public internet',
    )
    expect(site.connections()).toBe(0)
  })

  it('works for Node, and tells how a command ended', async () => {
    const site = await page()
    const { execute } = await openMachine(
      { hosts: [`localhost:${site.port}`] },
      { allowPrivate: ['localhost'] },
    )
    const { output, exitCode } = await execute(
      `node -e 'fetch("http://localhost:${site.port}/").then((r) => r.text()).then(console.log)'; exit 7`,
    )
    expect({ output, exitCode }).toEqual({ output: 'the page\n', exitCode: 7 })
    expect((await execute('kill -9 $$')).exitCode).toBe(137)
  })

  it('leaves the socket of the proxy to nobody else', async () => {
    const { execute } = await openMachine({ hosts: ['example.com'] })
    expect((await execute('ls -A /run /run/parley; touch /run/parley/x 2>&1')).output).toMatch(
      /proxy\.sock[^]*Read-only/,
    )
  })
})

it('the network is there where the operator switched it on', async () => {
  const site = await page()
  const { execute } = await openMachine({ network: 'on' })
  expect((await execute(fetched(`http://127.0.0.1:${site.port}/`))).output).toBe('the page → 0\n')
})
