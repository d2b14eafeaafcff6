import type { Logger } from 'pino'
import type { Permissions } from '../approvals/authority.ts'
import type { OnApproval } from '../approvals/ask-program.ts'
import type { ApprovalLimits } from '../approvals/authorize-or-ask.ts'
import type { BackgroundLimits } from '../tasks/task-limits.ts'
import type { ProgramFragment } from '../chat/program-fragment.ts'
import type { ChatLimits } from '../chat/turn-limits.ts'
import type { CommandHook, Hook } from '../hooks/hook.ts'
import type { ModelSettings } from '../models/registry.ts'
import type { ParameterSettings } from '../protocol/parameters.ts'
import type { GroupSwitches } from '../protocol/permission.ts'
import type { WindowSettings } from '../protocol/window.ts'
import type { Prices } from '../runs/budget.ts'
import type { ImportLimits } from '../protocol/import-limits.ts'
import type { WindowHandlers } from '../sessions/window/window-handlers.ts'
import type { Clock } from '../shared/clock.ts'
import type { TrustedFolders } from '../files/trusted-folders.ts'
import type { ToolDefinition } from '../tools/tool.ts'

/** Options of extensions. Each adds its own from its own folder, by declaration merging. */
export interface ExtensionOptions {}

export interface ParleyOptions extends ExtensionOptions {
  /** Folder of the SQLite database; needed unless `databaseUrl` is given. */
  dataDir?: string
  /** `postgres://…` keeps everything in PostgreSQL, for any number of nodes. */
  databaseUrl?: string
  /** Default `FULL` and 5,000: what is acknowledged survives a power cut. */
  sqlite?: { synchronous?: 'FULL' | 'NORMAL'; busyTimeoutMs?: number }
  /** Default 10 connections, 5,000 to wait for one, and true: connections keep statements that are sent often, parsed. */
  postgres?: { poolSize?: number; connectTimeoutMs?: number; preparedStatements?: boolean }
  /** Keeps readable copies of the sessions in this folder. */
  mirrorDir?: string
  /** The most items of one page; default 200. */
  limits?: { pageSize?: number }
  /** What a file of conversations may have at most; what is left out has its default. */
  imports?: Partial<ImportLimits>
  /** Default true: also executes runs that others left behind. False for programs that live shortly. */
  takesUpRuns?: boolean
  /** How long turns may continue when it closes; default 10,000. Those that do not end resume at the next start. */
  shutdownMs?: number
  /** Folders of scopes by name. */
  scopes?: Record<string, { root: string }>
  /**
   * The folders of which more counts than rules: skills, commands, files of extensions, see `openTrustedFolders`. Default: every folder of a
   * scope, since a program names them itself.
   */
  trust?: TrustedFolders
  /** Which models there are; default: the offline demo alone. */
  models?: Partial<ModelSettings>
  /** What models can do here, beside the built-in tools. */
  tools?: readonly ToolDefinition[]
  /** Pieces of prompts, each at a place of its own, without an extension. */
  fragments?: readonly ProgramFragment[]
  /** Groups of tools that are switched on or off; default: each as it is declared. */
  toolGroups?: GroupSwitches
  /** What sessions may do by default: ask before anything is changed. */
  permissions?: Partial<Permissions>
  /** Asked before and after calls of tools, and at what else extensions have events for; never take one from a request. */
  hooks?: readonly (Hook | CommandHook)[]
  /** How long a hook without its own limit may take; default 10,000. */
  hookTimeoutMs?: number
  /** Is asked when a call needs a decision, beside the people who look into the inbox; the first answer counts. */
  onApproval?: OnApproval
  /** How long a person has to answer, and what counts then. */
  approvals?: Partial<ApprovalLimits>
  /** Bounds of a turn; what is left out has its default. */
  chat?: Partial<ChatLimits>
  /** The window of sessions without their own settings: `{mode: 'memo', limit: {chars: 12_000}}`. */
  session?: WindowSettings
  /** What models are asked with in sessions that say nothing else: `{temperature: 0.2}`. */
  parameters?: ParameterSettings
  /** Parts of the window to replace; each goes before any setting. */
  windowHandlers?: WindowHandlers
  /** Limits of background work; what is left out has its default. */
  background?: Partial<BackgroundLimits>
  /** Of models, by id, per million tokens: what budgets of cost are counted with. */
  prices?: Prices
  /** For how many days events of a scope can be read again; default 7. */
  events?: { keptDays?: number }
  /** For how many days the audit is kept; default 90. */
  audit?: { keptDays?: number }
  /** Where the user's own rules, skills and commands are; none when left out. */
  userDir?: string
  /** The time zone of dates in prompts, a name of the IANA database; default: that of the machine. */
  timeZone?: string
  /** Default: none. */
  logger?: Logger
  clock?: Clock
}
