import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type {
  FinishReason,
  ModelAdapter,
  ModelEvent,
  ModelRequest,
  ModelServer,
  ToolChoice,
  Usage,
} from './adapter.ts'
import { isUnknownEvent, toFault } from './ai-sdk-fault.ts'
import { toPrompt, toTools } from './ai-sdk-prompt.ts'
import { ModelFault } from './fault.ts'
import { createFaults, type Faults } from './provider-faults.ts'
import { tryReplyFormat } from './reply-format.ts'
import { watchStream } from './stream-watch.ts'
import type { ReadTraceContext } from './trace-context.ts'

export interface AiSdkOptions {
  /** A stream without an event for this long is given up; default 60,000. */
  idleTimeoutMs?: number
  /** Texts that must never show in an error. */
  secrets?: readonly string[]
  /** Default: none. */
  takes?: ModelAdapter['takes']
  /** Marks the ends of what the provider shall cache. */
  cachePoint?: SharedV4ProviderOptions
  /** Further options of this provider. */
  providerOptions?(request: ModelRequest): SharedV4ProviderOptions
  /** What is requested where the request has a format of the reply; default: exactly that. */
  responseFormat?(request: ModelRequest): ResponseFormat | undefined
  /** Sent along with each request. */
  traceContext?: ReadTraceContext
  /** Where the requests go. */
  server?: ModelServer
}

type ResponseFormat = NonNullable<LanguageModelV4CallOptions['responseFormat']>

/** A model for all requests, or what makes one for each. */
type Source = LanguageModelV4 | ((request: ModelRequest) => LanguageModelV4)
type Loader = () => Promise<Source>
type Part = LanguageModelV4StreamPart
type ToolCall = Extract<ModelEvent, { type: 'tool-call' }>
type Finish = Extract<ModelEvent, { type: 'finish' }>

/**
 * A model of the AI SDK, driven by its `doStream`; a function loads it on first use. Tool calls are emitted when the whole
 * reply is there: a stream that breaks off has called nothing.
 */
export function createAiSdkAdapter(
  id: string,
  model: LanguageModelV4 | Loader,
  options: AiSdkOptions = {},
): ModelAdapter {
  const { idleTimeoutMs = 60_000, secrets } = options
  const faults = createFaults(id, secrets)
  const load = typeof model === 'function' ? once(id, model) : async () => model

  return {
    id,
    takes: options.takes,
    server: options.server,
    stream: tryReplyFormat(async function* (request, signal) {
      const source = await load()
      signal.throwIfAborted()
      const connection = new AbortController()
      using watch = watchStream(signal, idleTimeoutMs, () => connection.abort())
      let reader: ReadableStreamDefaultReader<Part> | undefined
      let isComplete = false
      const calls: ToolCall[] = []
      let answered: Pick<Finish, 'model' | 'id'> = {}
      let reasoning: { isOpen: boolean; metadata?: SharedV4ProviderMetadata } = { isOpen: false }

      try {
        const asked = typeof source === 'function' ? source(request) : source
        const { stream } = await asked.doStream(toCall(request, options, connection.signal))
        reader = stream.getReader()
        for (;;) {
          watch.wait()
          const { done, value: part } = await reader.read()
          watch.hear()
          if (done) throw faults.cut()
          switch (part.type) {
            case 'text-delta':
              if (part.delta) yield { type: 'text-delta', text: part.delta }
              break
            case 'reasoning-start':
              reasoning = { isOpen: false, metadata: part.providerMetadata }
              break
            case 'reasoning-delta':
              reasoning.metadata = merge(reasoning.metadata, part.providerMetadata)
              if (!part.delta) break
              reasoning.isOpen = true
              yield { type: 'reasoning-delta', text: part.delta }
              break
            case 'reasoning-end': {
              const metadata = merge(reasoning.metadata, part.providerMetadata)
              // some reasoning is a signature only, and must come back all the same
              if (!reasoning.isOpen && metadata) yield { type: 'reasoning-delta', text: '' }
              if (reasoning.isOpen || metadata) yield { type: 'reasoning-end', ...optional(metadata) }
              break
            }
            case 'tool-input-start':
              yield { type: 'tool-input-start', toolCallId: part.id, toolName: part.toolName }
              break
            case 'tool-input-delta':
              if (part.delta) yield { type: 'tool-input-delta', toolCallId: part.id, text: part.delta }
              break
            case 'tool-call': {
              const { type, toolCallId, toolName, input } = part
              calls.push({ type, toolCallId, toolName, input, ...optional(part.providerMetadata) })
              break
            }
            case 'error':
              if (isUnknownEvent(part.error)) break
              throw toFault(faults, part.error)
            case 'response-metadata':
              answered = { model: part.modelId ?? answered.model, id: part.id ?? answered.id }
              break
            case 'finish': {
              const reason = requireFinished(faults, part.finishReason, calls.length > 0)
              isComplete = true
              yield* calls
              yield { type: 'finish', reason, usage: toUsage(part.usage), ...answered }
              return
            }
          }
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw watch.isIdle ? faults.idle(idleTimeoutMs) : toFault(faults, error)
      } finally {
        if (isComplete && reader) void drain(reader, connection)
        else connection.abort()
      }
    }),
  }
}

function once(id: string, load: Loader): Loader {
  let loaded: Promise<Source> | undefined
  return () =>
    (loaded ??= load().catch((cause: unknown) => {
      loaded = undefined
      throw new ModelFault('unavailable', `${id} cannot be loaded.`, { cause })
    }))
}

function toCall(request: ModelRequest, options: AiSdkOptions, abortSignal: AbortSignal) {
  const { responseFormat: choose = toResponseFormat } = options
  const responseFormat = request.replyFormat && choose(request)
  return {
    prompt: toPrompt(request, options.cachePoint),
    tools: toTools(request),
    toolChoice: request.tools.length > 0 ? toChoice(request.toolChoice) : undefined,
    temperature: request.temperature,
    topP: request.topP,
    maxOutputTokens: request.maxOutputTokens,
    stopSequences: request.stop,
    seed: request.seed,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    reasoning: request.reasoningEffort ?? (request.thinking ? ('medium' as const) : undefined),
    responseFormat,
    // the SDK may keep the words of such a reply to its end; what it reads meanwhile is a sign of life
    includeRawChunks: responseFormat !== undefined,
    providerOptions: options.providerOptions?.(request),
    headers: { ...options.traceContext?.() },
    abortSignal,
  }
}

const toChoice = (choice: ToolChoice | undefined) =>
  typeof choice === 'object' ? { type: 'tool' as const, toolName: choice.name } : choice && { type: choice }

const toResponseFormat = ({ replyFormat }: ModelRequest): ResponseFormat => ({ type: 'json', ...replyFormat })

/** By provider, later words win: a signature comes in pieces over several events. */
function merge(
  one: SharedV4ProviderMetadata | undefined,
  two: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (!one || !two) return one ?? two
  const merged = { ...one }
  for (const [provider, values] of Object.entries(two)) merged[provider] = { ...merged[provider], ...values }
  return merged
}

const optional = (providerMetadata: SharedV4ProviderMetadata | undefined) =>
  providerMetadata && { providerMetadata }

function requireFinished(
  faults: Faults,
  { unified, raw }: LanguageModelV4FinishReason,
  hasCalls: boolean,
): FinishReason {
  if (unified === 'interrupted') throw faults.cut()
  if (unified === 'error') throw faults.malformed(raw ?? 'it ended with an error')
  return unified === 'stop' && hasCalls ? 'tool-calls' : unified
}

const toUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage => ({
  inputTokens: inputTokens.total,
  outputTokens: outputTokens.total,
  reasoningTokens: outputTokens.reasoning,
  cacheReadTokens: inputTokens.cacheRead,
  cacheWriteTokens: inputTokens.cacheWrite,
})

/** A connection that was read to its end can be used again; one that keeps sending is closed. */
async function drain(reader: ReadableStreamDefaultReader<Part>, connection: AbortController): Promise<void> {
  const timer = setTimeout(() => connection.abort(), 1_000)
  try {
    while (!(await reader.read()).done);
  } catch {
    // the answer is complete; how the connection ends is of no interest
  } finally {
    clearTimeout(timer)
  }
}
