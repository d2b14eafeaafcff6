import { McpServer } from '@modelcontextprotocol/server'
import type { Caller } from '../../../core/sessions/caller.ts'
import type { McpServerDeps } from './mcp-server-deps.ts'
import { offerSessionResources } from './session-resources.ts'
import { offerSessionTools } from './session-tools.ts'
import { offerTaskTools } from './task-tools.ts'

const instructions =
  'Parley keeps conversations with language models ("sessions") and runs tasks in the background. ' +
  'send_message says something in a session and waits for the answer; start_task works on its own, and task_status ' +
  'tells what became of it. Whole sessions can be read as the resources parley://sessions/{id}.'

/** Everything one caller can do here. Made for one client: it must not be connected to a second one. */
export function createMcpServer(deps: McpServerDeps, caller: Caller): McpServer {
  const server = new McpServer({ name: 'parley', title: 'Parley', version: deps.version }, { instructions })
  offerSessionTools(server, deps, caller)
  offerTaskTools(server, deps, caller)
  offerSessionResources(server, deps, caller)
  return server
}
