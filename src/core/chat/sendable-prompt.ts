import type { Session } from '../protocol/session.ts'
import { shorten } from '../sessions/window/shorten-message.ts'
import type { OpenWindow } from '../sessions/window/windows.ts'
import type { Epoch } from '../store/queries/epochs.ts'
import type { WindowMessage } from '../store/queries/messages.ts'
import type { ChatDeps } from './turn-limits.ts'
import type { TurnContext } from './prompt-context.ts'
import { usesOf, type SentUse } from './prompt-source.ts'
import { preparePrompt, storePrompt, type TurnPrompt } from './prepare-prompt.ts'
import type { TurnInput } from './turn-input.ts'
import type { Turn } from './turn-state.ts'

/** What the prompt of a turn is made of, beside the window. */
export interface PromptParts {
  session: Session
  input: TurnInput
  userMessage: WindowMessage
  turnContext: TurnContext
  /** As it was when the turn began. */
  epoch: Epoch | undefined
}

export interface Sendable {
  prompt: TurnPrompt
  window: WindowMessage[]
  /** An earlier owner of the run has sent it. */
  isSent: boolean
  /** What of it counts as used, once a model was sent it. */
  used: SentUse[]
}

/** The prompt and the messages of a turn with this window; what is new in them is stored before anybody is sent it. */
export async function toSendable(
  { store, types, sources }: ChatDeps,
  turn: Turn,
  { session, input, userMessage, turnContext, epoch: before }: PromptParts,
  opened: OpenWindow,
  isAgain = false,
): Promise<Sendable> {
  const window = input.recordsPair
    ? [...opened.messages, shorten({ ...userMessage }, opened.judged.effective, session.messageCount + 1)]
    : opened.messages
  const stored = isAgain ? await store.getEpoch(session.id) : before
  // what an earlier owner of the run sent along, or sent nothing along with, stays as it was sent
  const isSent =
    turn.lease.fence > 1 &&
    !isAgain &&
    (window.some(({ seq, context }) => seq === userMessage.seq && context !== undefined) ||
      (!input.recordsPair && (await store.listRunSteps(turn.run.id)).length > 0))
  const prompt = preparePrompt(
    { store, types, sources },
    { session, input, turnContext, isSent },
    stored,
    opened,
  )
  const used = usesOf(sources, turnContext.facts)
  if (isSent) {
    // of a run that was begun before, what was sent may be something else by now
    const isSame = ({ uses }: SentUse) => prompt.sent[uses.fragment] === stored?.sent[uses.fragment]
    return { prompt, window, isSent, used: used.filter(isSame) }
  }
  const messageSeq = input.recordsPair ? undefined : userMessage.seq
  const epoch = await storePrompt(store, session, messageSeq, prompt)
  return {
    prompt: { ...prompt, epoch, isNewEpoch: false },
    window: withContext(window, userMessage.seq, prompt.dynamic),
    isSent,
    used,
  }
}

const withContext = (window: WindowMessage[], seq: number, context: string) =>
  context === '' ? window : window.map((message) => (message.seq === seq ? { ...message, context } : message))
