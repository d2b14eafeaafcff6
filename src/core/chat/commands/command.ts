import type { CommandSet } from '../../context/commands.ts'
import type { LoadedSkill } from '../../context/skills.ts'
import type { Session } from '../../protocol/session.ts'
import type { Store } from '../../store/store.ts'

/** A slash command that comes with Parley. Its text is the answer, or goes to the model with the input. */
export interface BuiltInCommand {
  readonly name: string
  readonly aliases: readonly string[]
  readonly description: string
  /** What may follow the name, as a person reads it. */
  readonly argumentHint?: string
  run(context: CommandContext, args: string): Promise<CommandResult>
}

export interface CommandContext {
  store: Store
  session: Session
  custom: CommandSet | undefined
  skills: { name: string; description: string }[]
  loadSkill(scope: string, name: string): Promise<LoadedSkill>
}

export interface CommandResult {
  mode: 'prompt' | 'action'
  text: string
}

export const answer = (text: string): CommandResult => ({ mode: 'action', text })
