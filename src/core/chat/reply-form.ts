import type { ReplyFormat } from '../models/adapter.ts'
import type { PromptFacets } from '../prompt/fragment.ts'
import type { Part } from '../protocol/message.ts'
import type { RunLog } from '../runs/event-hub.ts'
import { isObject } from '../shared/type-checks.ts'
import type { Run } from '../store/queries/run-row.ts'

/** How a session answers whose replies are one JSON value: nobody sees one before it was read whole. */
export interface ReplyForm {
  format: ReplyFormat
  /** Whether the model may call tools before it answers. Default: what answers with actions has none. */
  keepsTools?: boolean
  /** Parses a reply, after the parts of the turn so far. */
  read(text: string, said: readonly Part[]): Promise<FormedReply>
}

export interface FormedReply {
  /** What the reply is in the log, in place of its text; see `replyPart` for what the model sees of it ever after. */
  parts: Part[]
  /** Sent to the model, which answers once more. */
  again?: string
  /** Why the turn ended. */
  fault?: { code: string; message: string }
}

/** What is known of the prompt that a turn answers. */
export interface SeenPrompt {
  run: Run
  /** What it was made of; undefined when an earlier owner of the run sent it. */
  facts?: PromptFacets
}

/** The reply as the model wrote it, beside what people see of it. */
export const replyPart = (text: string): Part => ({ type: 'data-reply', data: { text } })

/** One that could not be read, which only the model sees. */
export const attemptPart = (text: string, problem: string): Part => ({
  type: 'data-reply-attempt',
  data: { text, problem },
})

/** The text of a reply as the model wrote it; a log that was imported may hold anything in its place. */
export function writtenText({ type, data }: Part): string | undefined {
  if (type !== 'data-reply' && type !== 'data-reply-attempt') return undefined
  return isObject(data) && typeof data.text === 'string' ? data.text : undefined
}

/** A reply that broke off is no more than an attempt. */
export function hideUnread(parts: Part[]): void {
  for (const [index, part] of parts.entries())
    if (part.type === 'text') parts[index] = attemptPart(part.text as string, 'It broke off.')
}

/** Replaces what was written by what was read, and emits it. */
export async function formReply(
  form: ReplyForm,
  parts: Part[],
  said: readonly Part[],
  log: RunLog,
  partId: string,
): Promise<Omit<FormedReply, 'parts'>> {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text as string] : [])).join('')
  const { parts: formed, ...rest } = await form.read(text, said)
  const others = parts.filter(({ type }) => type !== 'text')
  parts.splice(0, parts.length, ...others, ...formed)
  for (const part of formed) {
    if (part.type === 'text') {
      log.emit({ type: 'text-start', id: partId })
      log.emit({ type: 'text-delta', id: partId, delta: part.text as string })
      log.emit({ type: 'text-end', id: partId })
    } else if (part.type.startsWith('data-') && writtenText(part) === undefined)
      log.emit({ type: part.type as `data-${string}`, id: part.id as string, data: part.data })
  }
  return rest
}
