import { createMcpHandler, isLegacyRequest, type McpServer } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import type { AppEnv } from '../../../core/http/request-environment.ts'
import type { Caller } from '../../../core/sessions/caller.ts'
import { createConnections } from './connections.ts'
import type { McpServerDeps } from './mcp-server-deps.ts'
import { createMcpServer } from './server.ts'

/** Adds to what the MCP server offers. */
export type RegisterMcp = (server: McpServer) => void

/**
 * The MCP server, over streamable HTTP. Clients of the revision 2026-07-28 say everything with each request and get a
 * server for each; older ones introduce themselves first and get one for as long as they stay. None is ever shared.
 */
export function createHandler(
  deps: McpServerDeps,
  register: RegisterMcp = () => {},
): (c: Context<AppEnv>, caller: Caller) => Promise<Response> {
  const build = (caller: Caller) => {
    const server = createMcpServer(deps, caller)
    register(server)
    return server
  }
  const connections = createConnections(build, deps.clock)
  const stateless = createMcpHandler(({ authInfo }) => build(authInfo?.extra?.caller as Caller), {
    legacy: 'reject',
    onerror: (error) => deps.logger.debug({ err: error }, 'an MCP request was refused'),
  })

  return async (c, caller) => {
    const request = c.req.raw
    const parsedBody = await readBody(c)
    if (!(await isLegacyRequest(request, parsedBody))) {
      const authInfo = { token: '', clientId: caller.actor.id, scopes: [], extra: { caller } }
      endWithServer(c, () => void stateless.close())
      return answer(c, await stateless.fetch(request, { parsedBody, authInfo }))
    }
    const id = c.req.header('mcp-session-id')
    const connection = id === undefined ? await connections.open(caller) : connections.find(id, caller)
    if (!connection) return c.json(unknownConnection, 404)
    endWithServer(c, connections.endStreams)
    return answer(c, await connection.transport.handleRequest(request, { parsedBody }))
  }
}

/** It has been read and checked already, as every body is. */
async function readBody(c: Context<AppEnv>): Promise<unknown> {
  const text = c.req.method === 'POST' ? await c.req.text() : ''
  return text.trim() === '' ? undefined : (JSON.parse(text) as unknown)
}

/** With the headers that stand on every answer. */
const answer = (c: Context<AppEnv>, { body, status, headers }: Response) =>
  c.newResponse(body, status as StatusCode, Object.fromEntries(headers))

/** What the specification has for it: the client then introduces itself again. */
const unknownConnection = {
  jsonrpc: '2.0',
  error: { code: -32001, message: 'Session not found' },
  id: null,
}

/** A stream on which nothing may happen for hours must not hold up a server that stops. */
function endWithServer(c: Context<AppEnv>, end: () => void): void {
  const { stopping, outgoing } = c.env ?? {}
  if (!stopping || !outgoing) return
  stopping.addEventListener('abort', end)
  outgoing.on('close', () => stopping.removeEventListener('abort', end))
}
