import type { Logger } from 'pino'
import type { Permissions } from '../approvals/authority.ts'
import type { ApprovalLimits } from '../approvals/guard.ts'
import type { BackgroundLimits } from '../tasks/limits.ts'
import type { ChatLimits } from '../chat/deps.ts'
import type { CommandHook, Hook } from '../hooks/hook.ts'
import type { McpServerSettings } from '../../extensions/mcp/server-settings.ts'
import type { MemorySettings } from '../../extensions/memory/deps.ts'
import type { ModelSettings } from '../models/registry.ts'
import type { PlanLimits } from '../../extensions/plan/deps.ts'
import type { GroupSwitches } from '../protocol/permission.ts'
import type { WindowSettings } from '../protocol/window.ts'
import type { RoomLimits } from '../../extensions/room/deps.ts'
import type { Prices } from '../runs/budget.ts'
import type { WindowHandlers } from '../sessions/window/handlers.ts'
import type { Clock } from '../shared/clock.ts'
import type { TelemetryOptions } from '../../telemetry/open.ts'
import type { TrustedFolders } from '../files/trusted-folders.ts'
import type { TerminalSettings } from '../../extensions/terminal/terminal-tool.ts'
import type { ToolDefinition } from '../tools/tool.ts'
import type { WebSettings } from '../../extensions/web/web-tools.ts'
import type { WebhookLimits } from '../../extensions/webhook/deps.ts'
import type { WorkflowLimits } from '../../extensions/workflow/deps.ts'

export interface ParleyOptions {
  /** Folder of the SQLite database; needed unless `databaseUrl` is given. */
  dataDir?: string
  /** `postgres://…` keeps everything in PostgreSQL, for any number of nodes. */
  databaseUrl?: string
  /** Default `FULL` and 5,000: what is acknowledged survives a power cut. */
  sqlite?: { synchronous?: 'FULL' | 'NORMAL'; busyTimeoutMs?: number }
  /** Default 10 connections, and 5,000 to wait for one. */
  postgres?: { poolSize?: number; connectTimeoutMs?: number }
  /** Keeps readable copies of the sessions in this folder. */
  mirrorDir?: string
  /** The most items of one page; default 200. */
  limits?: { pageSize?: number }
  /** Default true: also executes runs that others left behind. False for programs that live shortly. */
  takesUpRuns?: boolean
  /** How long turns may go on when it closes; default 10,000. Those that do not end go on at the next start. */
  shutdownMs?: number
  /** Folders of scopes by name. */
  scopes?: Record<string, { root: string }>
  /**
   * The folders whose workflows, agents, skills and commands count, see `openTrustedFolders`. Default: every folder of a
   * scope, since a program names them itself.
   */
  trust?: TrustedFolders
  /** Which models there are; default: the offline demo alone. */
  models?: Partial<ModelSettings>
  /** What models can do here, beside the built-in tools. */
  tools?: readonly ToolDefinition[]
  /** Groups of tools that are switched on or off; default: all but `terminal`. */
  toolGroups?: GroupSwitches
  /** What sessions may do that say nothing else; default: ask before anything is changed. */
  permissions?: Partial<Permissions>
  /** Asked before and after calls of tools, and before memories are told or stored; never take one from a request. */
  hooks?: readonly (Hook | CommandHook)[]
  /** How long a hook may take that says nothing else; default 10,000. */
  hookTimeoutMs?: number
  /** How long a person has to answer, and what counts then. */
  approvals?: Partial<ApprovalLimits>
  /** MCP servers whose tools models may use, by name. Each entry may start a program: never take one from a request. */
  mcpServers?: Readonly<Record<string, McpServerSettings>>
  /** The most bytes of one document; default 1 MB. */
  documents?: { maxBytes?: number }
  /** How long a lock holds without a sign of its session; default 300,000. */
  locks?: { ttlMs?: number }
  /** Bounds of a turn; what is left out has its default. */
  chat?: Partial<ChatLimits>
  /** The window of sessions that say nothing else: `{mode: 'memo', limit: {chars: 12_000}}`. */
  session?: WindowSettings
  /** Parts of the window to replace; each goes before any setting. */
  windowHandlers?: WindowHandlers
  /** Learns from turns and tells later ones, which costs model calls: `{}` for the defaults; left out, it does neither. */
  memory?: Partial<MemorySettings>
  /** Bounds of what goes on in the background; what is left out has its default. */
  background?: Partial<BackgroundLimits>
  /** Bounds of workflow runs; what is left out has its default. */
  workflows?: Partial<WorkflowLimits>
  /** Bounds of what is done with plans; what is left out has its default. */
  plans?: Partial<PlanLimits>
  /** Bounds of rooms, and what their test commands may begin with; what is left out has its default. */
  rooms?: Partial<RoomLimits>
  /** Of models, by id, per million tokens: what budgets of cost are counted with. */
  prices?: Prices
  /** For how many days events of a scope can be read again; default 7. */
  events?: { keptDays?: number }
  /** For how many days the audit is kept; default 90. */
  audit?: { keptDays?: number }
  /** What `web_fetch` may reach, and where `web_search` asks; what is left out has its default. */
  web?: WebSettings
  /** Bounds of webhooks, and private hosts, addresses and ranges that they may call; what is left out has its default. */
  webhooks?: Partial<WebhookLimits> & { allowPrivate?: readonly string[] }
  /** Bounds of commands, and what they see of the environment; what is left out has its default. */
  terminal?: TerminalSettings
  /** Where the user's own rules, skills and commands are; none when left out. */
  userDir?: string
  /** Spans of OpenTelemetry, to a collector or by a tracer of the program: `{}` for the defaults; left out, none. */
  telemetry?: TelemetryOptions
  /** By whose calendar prompts say the date, a name of the IANA database; default: that of the machine. */
  timeZone?: string
  /** Default: none. */
  logger?: Logger
  clock?: Clock
}
