import type { Chats } from '../../../core/chat/chats.ts'
import type { RouteHost } from '../../../core/http/contributions.ts'
import type { Windows } from '../../../core/sessions/window/windows.ts'
import type { Ids } from '../../../core/shared/ids.ts'
import type { Store } from '../../../core/store/store.ts'
import type { BackgroundManager } from '../../../core/tasks/background-manager.ts'

/** What the MCP server shows of a Parley. */
export interface McpParley {
  store: Store
  chats: Chats
  windows: Windows
  background: BackgroundManager
  ids: Ids
}

/** The same on the server that has it. */
export type McpServerDeps = McpParley & Pick<RouteHost, 'limits' | 'sealed' | 'clock' | 'logger' | 'version'>
