import type { Workspaces } from '../../files/workspaces.ts'
import type { Inspection } from '../folder-changes.ts'

/** Whether commands are confined, by what, and if not, why. */
export type SandboxState =
  | { kind: 'bubblewrap' | 'seatbelt'; detail: string }
  | { kind: 'off' }
  | { kind: 'missing'; reason: string; next: string }

/** A program with everything it is to see. */
export interface Confined {
  /** The program and its arguments. */
  command: readonly string[]
  cwd: string
  env: Record<string, string>
  workspaces: Workspaces
  /** What was found there. */
  inspection?: Inspection
}

/** How a confined program is started. */
export interface Launch {
  file: string
  /** Handed over by file descriptor 3: they hold the environment, which a list of processes would show to everybody. */
  options?: readonly string[]
  args: readonly string[]
  /** Of the program that sets the sandbox up. */
  env: Record<string, string>
  cwd: string
  /** Handed over from file descriptor 4 on. */
  descriptors: readonly number[]
  /** To be called once it is started, or could not be. */
  release(): void
  /** To be called when nothing of it runs any more. */
  end?(): void
}
