import type { PromptContext } from '../prompt/fragment.ts'
import type { Session } from '../protocol/session.ts'
import type { TurnInput } from './turn-input.ts'

/** A piece of prompts that a program has without being an extension. */
export interface ProgramFragment<Loaded = unknown> {
  /** Its text stands in a tag of this name: letters, digits and `_`. */
  readonly name: string
  /** `static`: rendered at the start of an epoch and kept. `dynamic`: sent with an input when it has changed. */
  readonly part: 'static' | 'dynamic'
  /** The fragment that it stands next to, wherever there is one of that name; `before` or `after`, one of them. */
  readonly before?: string
  readonly after?: string
  /** Names of session types; default: all that have its neighbour. */
  readonly recipes?: readonly string[]
  /** Whether a turn has it, without a look anywhere else; default: every turn does. */
  appliesTo?(session: Session, input: TurnInput): boolean
  /** Reads what it is made of, once per turn. What it throws fails the turn. */
  load?(session: Session, input: TurnInput): Promise<Loaded> | Loaded
  /** Pure: same context, same text. `undefined` leaves it out. */
  render(context: PromptContext, loaded: Loaded): string | undefined
}

/** Checks nothing: it is there for the type of what is loaded. */
export const defineFragment = <Loaded>(fragment: ProgramFragment<Loaded>): ProgramFragment => fragment
