import type { Fragment } from '../prompt/fragment.ts'
import {
  instructionsPlace,
  interactiveRecipe,
  taskRecipe,
  withPlaces,
  type NeighbouredFragment,
  type Recipe,
} from '../prompt/recipe.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { Session } from '../protocol/session.ts'
import type { BusyPolicy } from '../runs/busy-policy.ts'
import type { AppendedWords } from '../sessions/append.ts'
import type { SessionTotals } from '../sessions/session-usage.ts'
import type { WindowSettings } from '../protocol/window.ts'
import type { StoreOperations } from '../store/store.ts'
import type { ReplyForm, SeenPrompt } from './reply-form.ts'
import type { TurnInput } from './turn-input.ts'

/** A type of conversation, as an extension adds it. What it leaves out is as in any other session. */
export interface SessionType {
  /** Recorded with each step as its scenario. */
  readonly name: string
  /** Whether a session is of this type, by its record alone. If several match, the first registered counts. */
  appliesTo(session: Partial<Session>): boolean
  /** What its prompts are made of. */
  readonly recipe?: Recipe
  /** Why it has no prompt that could be inspected. */
  readonly hasNoPrompt?: string
  /** What holds for all its turns, whatever an input contains. */
  readonly flags?: Partial<TurnInput>
  /** What an input is to it; throws what it refuses. */
  admit?(
    tx: StoreOperations,
    session: Session,
    input: TurnInput,
    asked: { policy: BusyPolicy; keyName?: string },
  ): Promise<AdmittedInput>
  /** Refuses somebody who may not change an input of others that waits. */
  checkEdit?(session: Session, input: TurnInput, keyName: string | undefined): void
  /** How it answers, where that is more than words; what it throws fails the turn. */
  replyForm?(
    session: Session,
    input: TurnInput,
    seen: SeenPrompt,
  ): Promise<ReplyForm | undefined> | ReplyForm | undefined
  /** The names of tools that its sessions are about: they are offered whole. */
  readonly wholeTools?: readonly string[]
  /** True for a turn that is given no tools. */
  isWithoutTools?(input: TurnInput): boolean
  /** The log that changes of files count to, where that is another one. */
  changesIn?(input: TurnInput): { sessionId: string; messageSeq: number } | undefined
  /** Where it answers to results that came in, and how; undefined when it does nowhere any more. */
  wake?(session: Session): WakeTarget | undefined
  /** The default window of its sessions. */
  readonly window?: WindowSettings
  /** Several answer in it: an input has no one answer. */
  readonly hasSeveralVoices?: boolean
  /** A part of its parent: it is not listed, found, copied to disk or counted by itself. */
  readonly isPart?: boolean
  /** It belongs to a run: results that are delivered to it go to its parent. */
  readonly isOfRun?: boolean
  /** It does a step of a run: nobody else talks to it. */
  readonly isStep?: boolean
  /** What somebody adds to the log, as it is stored; throws what it refuses. */
  append?(session: Session, said: AppendedWords, keyName: string | undefined): AppendedWords
  /** What it used, with what its parts used. */
  sumUsage?(store: StoreOperations, sessionId: string, own: SessionTotals): Promise<SessionTotals>
  /** The speaker of what no agent said, in copies on disk; default: the assistant. */
  readonly speaker?: string
  /** What copies on disk contain about it, besides what they contain about every session. */
  mirror?(session: Session): object
  /** What the prompt of its next turn would be made with, besides the settings of the session. */
  previewInput?(store: StoreOperations, session: Session): Promise<Partial<TurnInput>>
}

/** Where a fragment of one extension stands in the recipes of others. */
export type FragmentPlace = NeighbouredFragment & {
  /** Default: in those of all types that have its neighbour. */
  isFor?(type: SessionType): boolean
}

export interface AdmittedInput {
  input: TurnInput
  policy: BusyPolicy
  /** Of its run; default `turn`. */
  kind?: string
  /** It is silent: no message enters the log, and nobody is notified. */
  isSilent?: boolean
}

export interface WakeTarget {
  sessionId: string
  kind: string
  input?: Partial<TurnInput>
  /** Whether a run that waits there is one that does the same. Default: any that waits. */
  isSame?(input: TurnInput): boolean
}

/** The types of session of one Parley. All are registered before the first turn. */
export interface SessionTypes {
  register(...types: SessionType[]): void
  /** Puts fragments into recipes, those of types that are registered later too. */
  place(...places: FragmentPlace[]): void
  /** Refuses an input that does not fit its session; each type is asked, in the order in which they are registered. */
  onInput(check: (session: Session, input: TurnInput) => void): void
  checkInput(session: Session, input: TurnInput): void
  of(session: Partial<Session>): SessionType
  recipeOf(session: Partial<Session>): Recipe
  /** Whether a fragment goes with the inputs of a session: what it is made of is not read for others. */
  isSent(session: Partial<Session>, fragment: Fragment): boolean
  list(): readonly SessionType[]
}

const backgroundTask: SessionType = {
  name: 'background_task',
  appliesTo: ({ kind }) => kind === 'background',
  recipe: taskRecipe,
}
const interactive: SessionType = {
  name: 'interactive',
  appliesTo: () => true,
  recipe: interactiveRecipe,
}

export function createSessionTypes(): SessionTypes {
  const registered: SessionType[] = []
  const places: FragmentPlace[] = [instructionsPlace]
  const recipes = new Map<SessionType, Recipe>()
  const checks: ((session: Session, input: TurnInput) => void)[] = []
  const list = () => [...registered, backgroundTask, interactive]
  const of: SessionTypes['of'] = (session) => {
    for (const type of registered) if (type.appliesTo(session)) return type
    return session.kind === 'background' ? backgroundTask : interactive
  }
  const recipeOf: SessionTypes['recipeOf'] = (session) => {
    const type = of(session)
    let recipe = recipes.get(type)
    if (!recipe) {
      const wanted = places.filter(({ isFor }) => isFor?.(type) ?? true)
      recipes.set(type, (recipe = withPlaces(type.recipe ?? interactiveRecipe, wanted)))
    }
    return recipe
  }
  return {
    register(...types) {
      for (const type of types) {
        if (list().some(({ name }) => name === type.name))
          throw invalidRequest(`The session type ${quote(type.name)} is registered already.`)
        registered.push(type)
      }
    },
    place(...more) {
      places.push(...more)
      recipes.clear()
    },
    onInput: (check) => void checks.push(check),
    checkInput(session, input) {
      for (const check of checks) check(session, input)
    },
    of,
    recipeOf,
    isSent: (session, fragment) => recipeOf(session).perTurnDynamic.includes(fragment),
    list,
  }
}
