import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { quote } from '../../protocol/error.ts'
import type { AddressRules } from '../../net/address-rules.ts'
import { resolveBySystem, type Resolve } from '../../net/checked-request.ts'

export interface HostProxyDeps {
  hosts: readonly string[]
  rules: AddressRules
  /** Default: as the system does it. */
  resolve?: Resolve
}

/** Lets programs without a network reach some hosts, by names that are looked up here. */
export interface HostProxy {
  /** Path of the socket that it listens on; nobody but Parley's user can open it. */
  socket: string
  close(): Promise<void>
}

const usualPorts = [80, 443]

export function createHostProxy({ hosts, rules, resolve = resolveBySystem }: HostProxyDeps): HostProxy {
  const folder = mkdtempSync(join(tmpdir(), 'parley-proxy-'))
  const socket = join(folder, 'proxy.sock')
  const sockets = new Set<Socket>()

  /** An address to connect to; throws for what is not on the list. */
  async function admit(host: string, port: number): Promise<string> {
    if (!hosts.some((entry) => fitsHost(entry, host, port)))
      throw new Error(`${quote(`${host}:${port}`)} is not among terminal.hosts.`)
    const addresses = isIP(host) ? [host] : await resolve(host)
    // one bad address is enough: the owner of the name could intend it
    if (addresses.length === 0 || !addresses.every((address) => rules.isAllowed(host, address)))
      throw new Error(`${quote(host)} is not on the public internet, and web.allowPrivate does not name it.`)
    return addresses[0]!
  }

  const server = createServer((incoming, response) => {
    forwardRequest(admit, incoming, response).catch((error: Error) => refuse(response, error))
  })
  server.on('connect', (incoming, client: Socket, head: Buffer) => {
    tunnel(admit, incoming.url ?? '', client, head).catch((error: Error) => {
      client.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${error.message}\n`,
      )
    })
  })
  server.on('connection', (client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => sockets.delete(client))
  })
  // a socket is there as soon as this returns
  server.listen(socket)
  // a program that is about to end does not wait for commands that are not running
  server.unref()
  return {
    socket,
    async close() {
      for (const client of sockets) client.destroy()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Admit = (host: string, port: number) => Promise<string>

async function tunnel(admit: Admit, target: string, client: Socket, head: Buffer): Promise<void> {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:\s]+)):(\d{1,5})$/i.exec(target) ?? []
  const host = toName(bracketed ?? plain ?? '')
  if (host === '') throw new Error(`${quote(target)} is not a host and a port.`)
  const upstream = connect(Number(port), await admit(host, Number(port)))
  upstream.once('connect', () => {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    upstream.write(head)
    // what one of them breaks off ends for the other
    pipeline(client, upstream, client, () => {})
  })
  upstream.once('error', () => client.destroy())
  client.once('close', () => upstream.destroy())
}

async function forwardRequest(
  admit: Admit,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = URL.parse(incoming.url ?? '')
  if (url?.protocol !== 'http:') throw new Error('Only http:// is forwarded; use CONNECT for the rest.')
  const port = Number(url.port || 80)
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = incoming.headers
  const upstream = request({
    host: await admit(toName(url.hostname.replace(/^\[|\]$/g, '')), port),
    port,
    method: incoming.method,
    path: url.pathname + url.search,
    // the name that was checked, whatever else the request contains
    headers: { ...headers, host: url.host },
    agent: false,
  })
  upstream.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    pipeline(answer, response, () => {})
  })
  upstream.on('error', (error) => refuse(response, error))
  response.on('close', () => upstream.destroy())
  pipeline(incoming, upstream, () => {})
}

function refuse(response: ServerResponse, { message }: Error): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(403, { 'content-type': 'text/plain' }).end(`${message}\n`)
}

const toName = (host: string) => host.toLowerCase().replace(/\.$/, '')

/** `*.example.com` is every name below it, not the name itself; without a port the usual ones of the web. */
export function fitsHost(entry: string, host: string, port: number): boolean {
  const [, name = '', ownPort] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? []
  if (ownPort === undefined ? !usualPorts.includes(port) : Number(ownPort) !== port) return false
  const wanted = toName(name.replace(/^\[|\]$/g, ''))
  return wanted.startsWith('*.')
    ? host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1
    : host === wanted
}
