import type { ToolSpec } from '../models/adapter.ts'
import { hashText, renderHead } from '../prompt/assemble.ts'
import type { PromptContext } from '../prompt/fragment.ts'
import { notFound } from '../protocol/error.ts'
import type { CacheVerdict, PromptFragment, SentPrompt } from '../protocol/prompt.ts'
import type { Session } from '../protocol/session.ts'
import { costOf } from '../runs/budget.ts'
import { findLeft } from '../sessions/window/read-window.ts'
import { shorten } from '../sessions/window/shorten-message.ts'
import { callerToolsOf } from '../tools/caller-tools.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { WindowMessage } from '../store/queries/messages.ts'
import type { RunStep } from '../store/queries/run-steps.ts'
import type { DescribedStep } from './describe-steps.ts'
import type { ChatDeps } from './turn-limits.ts'
import { findLoaded } from './loaded-tools.ts'
import { offerAs, sizeOf } from './offer-tools.ts'
import { toPromptMessages } from './prompt-messages.ts'
import { hashTools, type RecordedFragment } from './step-record.ts'
import type { TurnInput } from './turn-input.ts'
import { readTools, toolsOf } from './turn-tools.ts'

export interface JudgedStep extends Pick<RunStep, 'step' | 'parts'> {
  record: DescribedStep
  cache: CacheVerdict
}

/**
 * One model call whole. Nothing of it is stored twice: the static part is in its epoch, what went with each input is
 * with its message, and the head is rendered again from the memo of then. Hashes of the record show whether what comes
 * out is what was sent.
 */
export async function readSentPrompt(
  deps: ChatDeps,
  run: Run,
  steps: readonly JudgedStep[],
  number: number,
): Promise<SentPrompt> {
  const { store } = deps
  const found = steps.find(({ step }) => step === number)
  if (!found) throw notFound('step', `${run.id}/${number}`)
  const { record } = found
  const session = await store.requireSession(run.scope, run.sessionId)
  const epoch = await store.getEpoch(session.id, record.epoch)
  const windowStart = epoch?.windowStart ?? 1
  const { window, isShortened } = await readWindowOf(deps, session, run, windowStart)
  const head = await findHead(deps, session, record.fragments, windowStart)
  const input = run.input as TurnInput
  const own = steps.filter(({ step }) => step < number).flatMap(({ parts }) => parts)
  const before = [...(input.priorParts ?? []), ...own]
  // what came in while the call was prepared stands before the step that it was sent with
  const begin = found.parts.findIndex(({ type }) => type === 'step-start')
  const taken = begin > 0 ? found.parts.slice(0, begin) : []
  const messages = toPromptMessages(window, [...before, ...taken], head.text)
  const fragments = withTexts(record.fragments, [
    ...((epoch?.fragments ?? []) as PromptFragment[]),
    ...head.fragments,
    ...splitContext(window.at(-1)?.context ?? '', record.fragments),
  ])
  await deps.prices?.load?.()
  const price = deps.prices?.priceOf(record.model)
  const groups = await deps.readGroups?.(session)
  const tools = [
    ...toolsOf(await readTools(deps, session, input), session, { ...input, groups }),
    ...callerToolsOf(input.callerTools),
  ]
  const { tools: whole, listedTools: listed } = record
  const { specs } = offerAs(
    tools.filter(({ name }) => whole.includes(name)),
    tools.filter(({ name }) => listed.includes(name)),
  )
  return {
    runId: run.id,
    sessionId: session.id,
    step: number,
    model: record.model,
    scenario: record.scenario,
    epoch: record.epoch,
    system: epoch?.system ?? '',
    windowStart,
    fragments,
    messages,
    tools: whole,
    listedTools: listed,
    loadedTools: [
      ...window.flatMap(({ parts, seq }) => findLoaded(parts, listed, seq)),
      ...findLoaded(before, listed),
    ],
    ...(record.parameters && { parameters: record.parameters }),
    toolTokens: hashTools(specs) === record.toolsHash ? toolTokensOf(specs) : {},
    usage: record.usage,
    finishReason: record.finishReason,
    cache: found.cache,
    ...(price && { cost: costOf(record.usage, price) }),
    isExact:
      // by the limits of now, which may not be those of then
      !isShortened &&
      messages.length === record.messages &&
      epoch !== undefined &&
      hashText(epoch.system) === record.systemHash &&
      fragments.every(({ text }) => text !== undefined),
  }
}

/** From where the window began then up to the input of the run. */
async function readWindowOf(
  { store, windows }: ChatDeps,
  session: Session,
  run: Run,
  windowStart: number,
): Promise<{ window: WindowMessage[]; isShortened: boolean }> {
  const { message } = run.input as TurnInput
  const input = await store.getMessage(run.scope, session.id, message.id)
  const throughSeq = input?.seq ?? session.messageCount
  const effective = await windows.effective(session)
  const stored = await store.readLog(session.id, windowStart, throughSeq)
  const window = stored.map((read) => shorten(read, effective))
  return { window, isShortened: window.some((shown, index) => shown !== stored[index]) }
}

const maxVersions = 200

/** The memo, and what it did not hold yet, as they stood before the window: the versions whose hashes match. */
async function findHead(
  { store }: ChatDeps,
  session: Session,
  sent: readonly RecordedFragment[],
  startSeq: number,
): Promise<{ text: string; fragments: PromptFragment[] }> {
  const pieces = sent.filter(({ placement }) => placement === 'head')
  if (pieces.length === 0) return { text: '', fragments: [] }
  const versions = await store.listMemoVersions(session.id, { limit: maxVersions })
  for (const version of [...versions, undefined]) {
    const memo = version?.memo
    const hasMemo = renderHead({ memo } as PromptContext).fragments.every(({ hash }) =>
      pieces.some((piece) => piece.hash === hash),
    )
    if (!hasMemo) continue
    const left = await findLeft(store, session, { throughSeq: version?.throughSeq ?? 0, startSeq })
    const head = renderHead({ memo, left } as PromptContext)
    if (head.fragments.map(({ hash }) => hash).join() === pieces.map(({ hash }) => hash).join()) return head
  }
  return { text: '', fragments: [] }
}

/** The dynamic pieces are stored joined; each begins with its own tag. */
function splitContext(context: string, sent: readonly RecordedFragment[]): PromptFragment[] {
  const pieces = sent.filter(({ placement }) => placement === 'dynamic')
  const found: PromptFragment[] = []
  let rest = context
  for (const [index, piece] of pieces.entries()) {
    const text = takePiece(rest, piece, index === pieces.length - 1)
    if (text === undefined) break
    found.push({ ...piece, placement: 'dynamic', text })
    rest = rest.slice(text.length + 2)
  }
  return found
}

// a text that looks like the beginning of a piece at every line must not keep the server busy
const maxHashed = 20_000_000

function takePiece(context: string, { hash }: RecordedFragment, isLast: boolean): string | undefined {
  if (isLast) return hashText(context) === hash ? context : undefined
  const border = '\n\n<'
  let hashed = 0
  for (let end = context.indexOf(border); end !== -1; end = context.indexOf(border, end + 1)) {
    if (hashText(context.slice(0, end)) === hash) return context.slice(0, end)
    if ((hashed += end) > maxHashed) return undefined
  }
  return undefined
}

const withTexts = (sent: readonly RecordedFragment[], known: readonly PromptFragment[]): PromptFragment[] =>
  sent.map(({ name, placement, hash, tokens }) => ({
    name,
    placement: placement as PromptFragment['placement'],
    hash,
    tokens,
    text: known.find((piece) => piece.hash === hash)?.text,
  }))

/** What each tool takes of a prompt, by its name. */
export const toolTokensOf = (specs: readonly ToolSpec[]): Record<string, number> =>
  Object.fromEntries(specs.map((spec) => [spec.name, sizeOf(spec)]))
