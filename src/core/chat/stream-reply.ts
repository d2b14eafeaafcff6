import type { ModelAdapter, ModelEvent, ModelRequest, FinishReason, Usage } from '../models/adapter.ts'
import { ModelFault } from '../models/fault.ts'
import { streamPatiently } from '../models/patient-stream.ts'
import type { Chunk } from '../protocol/chunk.ts'
import type { Part } from '../protocol/message.ts'
import type { RunLog } from '../runs/event-hub.ts'
import { HandOver } from '../runs/stop-reasons.ts'
import { useToolName } from '../tools/call-through.ts'

export interface Reply {
  parts: Part[]
  reason: FinishReason | 'fault' | 'stopped'
  usage: Usage
  fault?: ModelFault
}

export interface ReplyOptions {
  maxAttempts: number
  maxRetryWaitMs: number
  /** A model that sends nothing for so long has failed. */
  idleMs: number
  signal: AbortSignal
  /** Names of the parts on the wire: unique within the message. */
  partId: (kind: string) => string
  onRetry(fault: ModelFault, waitMs: number): void
  /** Its text is parsed before it is emitted. */
  isSilent?: boolean
  /** Except for what it says beside calls of tools. */
  speaksBesideCalls?: boolean
}

/**
 * One reply of the model, emitted as it arrives. A transient fault is retried as long as nothing was emitted yet:
 * after the first word a retry would repeat it. What was emitted before a fault or a stop is kept.
 */
export async function streamReply(
  adapter: ModelAdapter,
  request: ModelRequest,
  log: RunLog,
  options: ReplyOptions,
): Promise<Reply> {
  const { signal, maxAttempts, maxRetryWaitMs, onRetry } = options
  for (let attempt = 1; ; attempt++) {
    const shown = options.isSilent ? withoutText(log, options.speaksBesideCalls) : log
    const draft = createDraft(shown, options.partId)
    const endDraft = () => {
      const parts = draft.end()
      if ('release' in shown && parts.some(({ type }) => type === 'dynamic-tool')) shown.release()
      return parts
    }
    try {
      signal.throwIfAborted()
      for await (const events of streamPatiently(adapter, request, { signal, idleMs: options.idleMs }))
        for (const event of events) {
          if (event.type === 'finish') return { parts: endDraft(), reason: event.reason, usage: event.usage }
          draft.take(event)
        }
      throw new ModelFault('malformed', 'The model ended its answer without saying so.')
    } catch (error) {
      if (signal.reason instanceof HandOver) throw signal.reason
      if (signal.aborted) return { parts: endDraft(), reason: 'stopped', usage: {} }
      if (!(error instanceof ModelFault)) throw error
      const ownWait = Math.round(500 * 2 ** (attempt - 1) * (0.5 + Math.random()))
      const waitMs = error.retryAfterMs ?? Math.min(ownWait, maxRetryWaitMs)
      const canRetry = error.isTransient && draft.isEmpty && attempt < maxAttempts && waitMs <= maxRetryWaitMs
      if (!canRetry) return { parts: endDraft(), reason: 'fault', usage: {}, fault: error }
      onRetry(error, waitMs)
      await sleep(waitMs, signal)
      if (signal.reason instanceof HandOver) throw signal.reason
      if (signal.aborted) return { parts: [], reason: 'stopped', usage: {} }
    }
  }
}

/** Keeps text back; what calls of tools follow is emitted before them, where that is wanted. */
function withoutText(log: RunLog, speaksBesideCalls = false): Pick<RunLog, 'emit'> & { release(): void } {
  const held: Chunk[] = []
  const release = () => {
    for (const chunk of held.splice(0)) log.emit(chunk)
  }
  return {
    release,
    emit(chunk) {
      if (chunk.type.startsWith('text-')) return void (speaksBesideCalls && held.push(chunk))
      if (chunk.type === 'tool-input-start') release()
      log.emit(chunk)
    },
  }
}

/** Collects the parts of a reply and emits them. */
function createDraft(log: Pick<RunLog, 'emit'>, partId: (kind: string) => string) {
  const parts: Part[] = []
  /** Calls that were begun and not finished, by id. */
  const begun = new Map<string, string>()
  let hasEmitted = false
  let open: { kind: 'text' | 'reasoning'; id: string; texts: string[] } | undefined

  const openPart = (kind: 'text' | 'reasoning') => {
    if (open?.kind === kind) return open
    closePart()
    open = { kind, id: partId(kind), texts: [] }
    log.emit({ type: `${kind}-start`, id: open.id })
    return open
  }
  const closePart = (providerMetadata?: Record<string, unknown>) => {
    if (!open) return
    const { kind, id, texts } = open
    open = undefined
    const extra = providerMetadata && { providerMetadata }
    parts.push({ type: kind, text: texts.join(''), state: 'done', ...extra })
    log.emit(kind === 'text' ? { type: 'text-end', id } : { type: 'reasoning-end', id, ...extra })
  }

  return {
    /** Nothing was emitted yet: a retry would repeat nothing. */
    get isEmpty() {
      return !hasEmitted
    },
    take(event: Exclude<ModelEvent, { type: 'finish' }>): void {
      hasEmitted = true
      switch (event.type) {
        case 'text-delta': {
          const part = openPart('text')
          part.texts.push(event.text)
          return log.emit({ type: 'text-delta', id: part.id, delta: event.text })
        }
        case 'reasoning-delta': {
          const part = openPart('reasoning')
          part.texts.push(event.text)
          return log.emit({ type: 'reasoning-delta', id: part.id, delta: event.text })
        }
        case 'reasoning-end':
          return open?.kind === 'reasoning' ? closePart(event.providerMetadata) : undefined
        case 'tool-input-start':
          closePart()
          begun.set(event.toolCallId, event.toolName)
          return event.toolName === useToolName ? undefined : log.emit({ ...event, dynamic: true })
        case 'tool-input-delta':
          // which tool it calls is known when it was read
          if (begun.get(event.toolCallId) === useToolName) return
          return log.emit({ type: event.type, toolCallId: event.toolCallId, inputTextDelta: event.text })
        case 'tool-call': {
          closePart()
          const { toolCallId, toolName, input, providerMetadata } = event
          begun.delete(toolCallId)
          const call = {
            type: 'dynamic-tool',
            toolName,
            toolCallId,
            state: 'input-available',
            rawInput: input,
          }
          return void parts.push({
            ...call,
            ...(providerMetadata && { callProviderMetadata: providerMetadata }),
          })
        }
      }
    },
    end(): Part[] {
      closePart()
      // a call that broke off in the middle was seen: it has an end, on the wire as in the log
      for (const [toolCallId, toolName] of begun) {
        const errorText = 'The call was interrupted before it was whole; it was not run.'
        parts.push({
          type: 'dynamic-tool',
          toolName,
          toolCallId,
          state: 'output-error',
          input: {},
          errorText,
        })
        log.emit({ type: 'tool-input-error', toolCallId, toolName, input: {}, errorText, dynamic: true })
      }
      return parts
    },
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
