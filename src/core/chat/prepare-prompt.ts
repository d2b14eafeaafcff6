import { renderDynamic, renderHead, renderStatic, type SentFragment } from '../prompt/assemble.ts'
import type { Session } from '../protocol/session.ts'
import type { OpenWindow } from '../sessions/window/windows.ts'
import type { Epoch } from '../store/queries/epochs.ts'
import type { StoreOperations } from '../store/store.ts'
import {
  buildPromptContext,
  describeChanges,
  hashSources,
  isSameIdentity,
  type TurnContext,
} from './prompt-context.ts'
import type { PromptSource } from './prompt-source.ts'
import type { SessionTypes } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'

export interface TurnPrompt {
  /** The name of the session's type. */
  scenario: string
  epoch: Epoch
  /** The epoch is not stored: the first turn of a session begins it. */
  isNewEpoch: boolean
  /** What stands before the window: memo, and what it does not hold yet. */
  head: string
  /** The dynamic tail of this turn; empty when nothing changed since it was last sent. */
  dynamic: string
  sent: Record<string, string>
  fragments: SentFragment[]
}

export interface PromptOf {
  session: Session
  input: TurnInput
  turnContext: TurnContext
  /** Another process continues the turn: it stays in the epoch that it began in. */
  isSent?: boolean
}

/**
 * The prompt of one turn. The static part is replayed from the stored bytes of its epoch; what changed since goes
 * into the dynamic tail.
 */
export function preparePrompt(
  {
    store,
    types,
    sources,
  }: { store: StoreOperations; types: SessionTypes; sources: readonly PromptSource[] },
  { session, input, turnContext, isSent = false }: PromptOf,
  stored: Epoch | undefined,
  window: Pick<OpenWindow, 'startSeq' | 'memo' | 'left'>,
): TurnPrompt {
  const { name, recipe: own } = types.of(session)
  // one without a recipe of its own is asked as any other
  const scenario = own ? name : 'interactive'
  const recipe = types.recipeOf(session)
  const context = buildPromptContext(session, input, turnContext, window, {
    sources,
    facets: store.facets,
  })
  const hashes = hashSources(context, sources)
  // a cut changes most of what a provider has cached, so what waited to be changed comes with it
  const isNewEpoch =
    stored?.windowStart !== window.startSeq || (!isSent && !isSameIdentity(stored.sources, hashes, sources))
  const epoch = isNewEpoch ? beginEpoch((stored?.epoch ?? 0) + 1) : stored!
  const changes = describeChanges(context, epoch.sources, hashes)
  const { text, fragments, sent } = renderDynamic(recipe, { ...context, changes }, epoch.sent)
  const head = renderHead(context)
  return {
    scenario,
    epoch,
    isNewEpoch,
    head: head.text,
    dynamic: text,
    sent,
    fragments: [...(epoch.fragments as SentFragment[]), ...head.fragments, ...fragments],
  }

  function beginEpoch(number: number): Epoch {
    const { text: system, fragments: pieces } = renderStatic(recipe, context)
    return {
      epoch: number,
      system,
      fragments: pieces,
      sources: hashes,
      sent: {},
      windowStart: window.startSeq,
    }
  }
}

/** Stores what this turn sends, before it is sent; answers the bytes of the epoch that count. */
export async function storePrompt(
  store: StoreOperations,
  session: Session,
  messageSeq: number | undefined,
  { epoch, isNewEpoch, dynamic, sent }: TurnPrompt,
): Promise<Epoch> {
  const isSentChanged = JSON.stringify(sent) !== JSON.stringify(epoch.sent)
  // most turns add nothing new around their input, and then there is nothing to store
  if (!isNewEpoch && !isSentChanged && dynamic === '') return epoch
  return store.transaction(async (tx) => {
    const stored = isNewEpoch ? await tx.beginEpoch(session.id, { ...epoch, sent }) : epoch
    if (!isNewEpoch && isSentChanged) await tx.setEpochSent(session.id, epoch.epoch, sent)
    if (dynamic !== '' && messageSeq !== undefined)
      await tx.setMessageContext(session.id, messageSeq, dynamic)
    return stored
  })
}
