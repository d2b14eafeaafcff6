import type { PromptFacets } from '../prompt/fragment.ts'
import type { Session } from '../protocol/session.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { ScopeView } from './scope-view.ts'
import type { FragmentPlace } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'

/** What an extension knows for prompts: it reads once per turn what several fragments may use. */
export interface PromptSource {
  /** Under which an epoch keeps its identity. */
  readonly name: string
  /** Whether it applies to a turn, decided without reading anything. A turn it does not apply to pays nothing for it. */
  appliesTo(session: Session, input: TurnInput): boolean
  /** What its fragments read. What it throws fails the turn. */
  load(session: Session, input: TurnInput, about: LoadContext): Promise<PromptFacets> | PromptFacets
  /** Where its fragments stand in recipes that are not its own. */
  readonly places?: readonly FragmentPlace[]
  /** Names of fragments that a turn does without: what was sent of them stays as it was. */
  leftOut?(input: TurnInput): readonly string[]
  /** Of what the static part is made of: when it changes, the static part is rendered again. */
  identity?(facts: PromptFacets): string | undefined
  /** For a source that keeps a record of what was sent. */
  readonly uses?: SourceUses
}

export interface LoadContext {
  /** Undefined for a prompt that is only inspected. */
  run?: Run
  /** The slash command that the input is. */
  command?: AppliedCommand
  /** What was read of the scope already; undefined where the session is shown nothing of it. */
  view?: ScopeView
}

/** A slash command: its text for the model, or its own answer, and the tools that it is limited to. */
export interface AppliedCommand {
  mode: 'prompt' | 'action'
  text: string
  allowedTools: string[]
}

export interface SourceUses {
  /** The fragment that shows them. */
  readonly fragment: string
  idsIn(facts: PromptFacets): string[]
  /** In the transaction that stores the first step of a run: these were sent to a model. */
  record(tx: StoreOperations, run: Run, ids: readonly string[]): Promise<void>
  /** The metadata of the answer about them. */
  describe(ids: readonly string[]): Record<string, unknown>
}

/** What was sent of a source in one turn. */
export interface SentUse {
  uses: SourceUses
  ids: string[]
}

/** All that the sources know for a turn, each asked in turn. */
export async function loadFacts(
  sources: readonly PromptSource[],
  session: Session,
  input: TurnInput,
  about: LoadContext,
): Promise<PromptFacets> {
  const facts: PromptFacets = {}
  for (const source of sources)
    if (source.appliesTo(session, input)) Object.assign(facts, await source.load(session, input, about))
  return facts
}

/** What of the facts counts as used once a model was sent it. */
export const usesOf = (sources: readonly PromptSource[], facts: PromptFacets): SentUse[] =>
  sources.flatMap(({ uses }) => {
    const ids = uses?.idsIn(facts) ?? []
    return uses && ids.length > 0 ? [{ uses, ids }] : []
  })
