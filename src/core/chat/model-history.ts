import type { Part } from '../protocol/message.ts'
import type { ModelMessage, ToolCallContent, ToolResultContent } from '../models/adapter.ts'
import type { TaskResult } from '../protocol/background.ts'
import { writtenText } from './reply-form.ts'
import { inAttribute, sealed } from '../protocol/prompt-tags.ts'
import { renderTaskResult } from './render-task-result.ts'
import type { WindowMessage } from '../store/queries/messages.ts'
import type { HookNote } from '../tools/call-outcome.ts'
import { toCallThrough, useToolName } from '../tools/call-through.ts'

type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content']
type UserContent = Extract<ModelMessage, { role: 'user' }>['content']

/**
 * The window as the model gets it. The same stored parts always become the same messages, during their turn and ever
 * after: what was sent stays a prefix of what is sent next.
 */
export function toModelMessages(
  window: readonly WindowMessage[],
  replyParts: readonly Part[] = [],
  head = '',
): ModelMessage[] {
  const messages: ModelMessage[] =
    head === '' ? [] : [{ role: 'user', content: [{ type: 'text', text: head }] }]
  for (const message of window) messages.push(...fromMessage(message))
  messages.push(...fromReply(replyParts))
  return messages
}

/** Of messages that stay in the window from turn to turn. */
const sent = new WeakMap<WindowMessage, readonly ModelMessage[]>()

function fromMessage(message: WindowMessage): readonly ModelMessage[] {
  let messages = sent.get(message)
  if (!messages) {
    messages =
      message.role === 'assistant'
        ? fromReply(message.parts)
        : [{ role: 'user', content: fromInput(message) }]
    sent.set(message, messages)
  }
  return messages
}

/** A system message of the log (an import may have one) is content, never an instruction of ours. */
function fromInput({ role, parts, context }: Pick<WindowMessage, 'role' | 'parts' | 'context'>): UserContent {
  const content: UserContent = []
  if (context) content.push({ type: 'text', text: inContext(context) })
  for (const part of parts) {
    if (part.type === 'text') {
      const text = part.text as string
      content.push({ type: 'text', text: role === 'system' ? `<note>\n${sealed(text)}\n</note>` : text })
    } else if (part.type === 'file')
      content.push({
        type: 'file',
        mediaType: part.mediaType as string,
        url: part.url as string,
        ...(typeof part.filename === 'string' && { filename: part.filename }),
      })
  }
  return content.length > 0 ? content : [{ type: 'text', text: '' }]
}

/** Nothing in it ends the tag, but for what an earlier Parley has stored: that stays as it was sent. */
const inContext = (text: string) => `<context>\n${text.replaceAll('</context', '< /context')}\n</context>`

/**
 * Each step of a reply is an assistant message and, when it called tools, a message with their results and one with the
 * rules for files that they opened.
 */
function fromReply(parts: readonly Part[]): ModelMessage[] {
  const messages: ModelMessage[] = []
  let content: AssistantContent = []
  let results: ToolResultContent[] = []
  let rules: string[] = []
  const endStep = () => {
    if (content.length > 0) messages.push({ role: 'assistant', content })
    if (results.length > 0) messages.push({ role: 'tool', content: results })
    if (rules.length > 0)
      messages.push({ role: 'user', content: [{ type: 'text', text: inContext(rules.join('\n\n')) }] })
    content = []
    results = []
    rules = []
  }
  for (const part of parts) {
    if (part.type === 'step-start') endStep()
    else if (part.type === 'data-steer') {
      endStep()
      messages.push({
        role: 'user',
        content: fromInput({ role: 'user', parts: (part.data as { parts: Part[] }).parts }),
      })
    } else if (part.type === 'data-task-result') {
      endStep()
      messages.push({
        role: 'user',
        content: [{ type: 'text', text: renderTaskResult(part.data as TaskResult) }],
      })
    } else if (writtenText(part) !== undefined) {
      // what was read out of it is for people
      content = content.filter(({ type }) => type !== 'text')
      content.push({ type: 'text', text: writtenText(part)! })
    } else if (part.type === 'text' && part.text !== '')
      content.push({ type: 'text', text: part.text as string })
    else if (part.type === 'reasoning')
      content.push({
        type: 'reasoning',
        text: part.text as string,
        ...(part.providerMetadata !== undefined && {
          providerMetadata: part.providerMetadata as Record<string, unknown>,
        }),
      })
    else if (isToolPart(part)) {
      content.push(toCall(part))
      results.push(toResult(part))
      if (typeof part.matchingRules === 'string') rules.push(part.matchingRules)
    }
  }
  endStep()
  return messages
}

export const isToolPart = (part: Part) => part.type === 'dynamic-tool' || part.type.startsWith('tool-')

const nameOf = (part: Part) =>
  part.type === 'dynamic-tool' ? (part.toolName as string) : part.type.slice('tool-'.length)

/** As the model made it: a call that went through `use_tool` is one of that again. */
function toCall(part: Part): ToolCallContent {
  const { input = {} } = part
  return {
    type: 'tool-call',
    toolCallId: part.toolCallId as string,
    toolName: calledName(part),
    input: isThrough(part) ? toCallThrough(nameOf(part), input) : input,
    ...(part.callProviderMetadata !== undefined && {
      providerMetadata: part.callProviderMetadata as Record<string, unknown>,
    }),
  }
}

const isThrough = ({ calledThrough }: Part) => calledThrough === useToolName

const calledName = (part: Part) => (isThrough(part) ? useToolName : nameOf(part))

/** A call always has its result: a provider refuses a prompt in which one is missing. */
function toResult(part: Part): ToolResultContent {
  const result = plainResult(part)
  // a log that was imported may hold anything
  const notes = Array.isArray(part.hookNotes) ? part.hookNotes.filter(isNote) : []
  return { ...result, output: [result.output, ...notes.map(renderNote)].join('\n\n') }
}

const isNote = (note: unknown): note is HookNote =>
  typeof note === 'object' && note !== null && 'hook' in note && 'text' in note

const renderNote = ({ hook, text }: HookNote) =>
  `<note from="hook ${inAttribute(hook)}">\n${sealed(text)}\n</note>`

function plainResult(part: Part): ToolResultContent {
  const call = {
    type: 'tool-result' as const,
    toolCallId: part.toolCallId as string,
    toolName: calledName(part),
  }
  if (part.state === 'output-available') return { ...call, output: toText(part.output), isError: false }
  if (part.state === 'output-denied') {
    const { reason } = part.approval as { reason?: string }
    return { ...call, output: reason ?? 'The user said no.', isError: true }
  }
  if (part.state === 'output-error') return { ...call, output: part.errorText as string, isError: true }
  return { ...call, output: interruptedText, isError: true }
}

export const interruptedText = 'The call was interrupted; whether it had an effect is not known.'

export const toText = (output: unknown): string =>
  typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
