import type { Logger } from 'pino'
import type { ChatLimits } from '../core/chat/turn-limits.ts'
import type { ModelAdapter } from '../core/models/adapter.ts'
import type { ModelSettings } from '../core/models/registry.ts'
import type { ParameterSettings } from '../core/protocol/parameters.ts'
import type { WindowSettings } from '../core/protocol/window.ts'
import type { WindowHandlers } from '../core/sessions/window/window-handlers.ts'
import type { Store } from '../core/store/store.ts'
import type { ToolDefinition } from '../core/tools/tool.ts'
import type { AgentBasis } from '../core/chat/agent-basis.ts'
import type { AgentPermissions } from './agent-permissions.ts'

export interface AskOptions {
  model?: string
  /** For this request alone. */
  window?: WindowSettings
  /** For this request alone; goes before those of the agent. */
  parameters?: ParameterSettings
  signal?: AbortSignal
}

export interface AgentOptions {
  /** `adapter/model`, or an adapter of your own. Default: the offline demo. */
  model?: string | ModelAdapter
  /** Who the assistant is and what it should do; the whole system prompt. */
  instructions?: string
  /** What the model is asked with: temperature and the like. */
  parameters?: ParameterSettings
  tools?: readonly ToolDefinition[]
  /** Default: the model may call whatever tool it is given, within what a Parley allows. */
  permissions?: AgentPermissions
  /** Keys and addresses for a model that is given by its name; default: those of the Parley. */
  models?: Partial<ModelSettings>
  /**
   * Where attached sessions live; default: in memory, gone with the process. Its models, the settings of its windows and
   * turns, and its permissions and hooks apply to the agent too; the agent's own options take precedence over its settings.
   */
  parley?: { store: Store; agentBasis?: AgentBasis }
  /** Of the Parley; default: `default`. */
  scope?: string
  /** The default window of sessions. */
  session?: WindowSettings
  /** Parts of the window to replace; each goes before any setting. */
  handlers?: WindowHandlers
  /** Bounds of a request; what is left out has its default. */
  limits?: Partial<ChatLimits>
  logger?: Logger
}
