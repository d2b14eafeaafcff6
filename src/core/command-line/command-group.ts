import type { ParameterOptions } from './parameter-options.ts'
import type { Command } from 'commander'
import type { Approvals } from '../approvals/operations.ts'
import type { Sessions } from '../chat/session-operations.ts'
import type { OperationTree } from '../operations/operation.ts'
import type { PermissionMode } from '../protocol/permission.ts'
import type { PreviewTexts } from '../protocol/ask-texts.ts'
import type { HistoryPlace } from './message-history.ts'
import type { Shown } from './printable.ts'

/** What the server at `--url` and a Parley in this process have in common; a capability adds its own calls to it. */
export interface Api {
  sessions: Sessions
  approvals: Approvals
  /** Where messages are kept that were written at this terminal. */
  history?: HistoryPlace
  /** Does the work of a background session in this process; at `--url`, the server does it. */
  adopt?(sessionId: string): void
  /** Takes in what the search index lacks, since this process ends; at `--url`, the server does it. */
  finishIndex?(): Promise<void>
}

/** The options that most commands have, from their group or from the program. */
export interface Options {
  scope?: string
  json?: boolean
  url?: string
  limit?: string
  cursor?: string
}

export interface TalkOptions extends ParameterOptions {
  /** What is said first. */
  prompt?: string
  session?: string
  /** Continue the newest session. */
  continue?: boolean
  model?: string
  /** Of the session that is created. */
  instructions?: string
  permissionMode?: PermissionMode
  /** Each answer as lines of JSON. */
  json?: boolean
  scope?: string
}

/** What a command gets from the program that it is a part of. */
export interface CommandContext {
  /** Works on the server at `--url`, or on the local store when there is none. */
  run<Given extends Options, Own = unknown>(
    command: Command,
    work: (api: Api & Own, options: Given) => Promise<void>,
  ): Promise<void>
  /** A chat at the terminal, as `parley chat`. */
  talk(api: Api, options: TalkOptions): Promise<void>
  /** How what a call would do is said to the person who is asked about it. */
  readonly previews: PreviewTexts
  /** The tool groups of what comes with Parley, for commands that need no store. */
  readonly toolGroups: readonly string[]
  /** What goes out to a terminal: control characters and what cannot be seen are shown as marks there. */
  readonly output: {
    printAnswer(shown: Shown): void
    printJson(value: unknown): void
    formatTable(header: string[], rows: readonly (readonly Shown[])[]): Shown
  }
}

/** Who is there at the end of a turn of a chat at the terminal. */
export interface Listener {
  scope?: string
  /** Nobody is asked where nobody can answer. */
  ask?(approvalId: string): Promise<void>
}

/** What the module of a group exports. */
export interface GroupModule {
  /** Says what `parley <name>` is and takes. */
  addCommands(group: Command, context: CommandContext): void
}

/** A word after `parley` with the commands below it. They are loaded when the word is on the line. */
export interface CommandGroup {
  name: string
  load(): Promise<GroupModule>
  /** The operations that its commands call and the client does not know by name, so that they work at `--url` too. */
  operations?: OperationTree
  /** How what its tools show of their calls is said to the person who is asked. */
  previews?: PreviewTexts
  /** What a chat at the terminal does when a turn ends that had a data part of this type. */
  afterTurn?: Readonly<
    Record<`data-${string}`, (api: Api, data: unknown, listener: Listener) => Promise<void>>
  >
}
