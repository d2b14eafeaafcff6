import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Tool, ToolContext } from '../src/core/tools/tool.ts'

export interface Site {
  port: number
  /** How often somebody connected, whatever was said then. */
  connections(): number
}

/** A real server on this machine, gone when the test ends. Without a host it listens on every address there is. */
export async function startSite(
  answer: RequestListener,
  host: string | null = '127.0.0.1',
  port = 0,
): Promise<Site> {
  return follow(createServer(answer), host, port)
}

export async function follow(server: Server, host: string | null, port = 0): Promise<Site> {
  let connections = 0
  server.on('connection', () => connections++)
  server.listen({ port, host: host ?? undefined })
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** Runs a tool as a turn does, its input checked first. */
export const runTool = async (
  tool: Tool,
  input: unknown,
  context: Partial<ToolContext> = {},
): Promise<unknown> =>
  tool.execute(tool.input.parse(input), {
    scope: 'default',
    sessionId: 'ses_test',
    runId: 'run_test',
    toolCallId: 'call_test',
    workspaces: { granted: [] },
    signal: new AbortController().signal,
    ...context,
  })
