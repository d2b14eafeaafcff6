/**
 * Work as OpenTelemetry spans, named after the semantic conventions for generative AI (semantic-conventions-genai, as of
 * the base conventions 1.41). Contents are left out unless requested; error messages and the paths of
 * requests always are: they may quote anything.
 *
 * A run belongs to the trace it was admitted in, which is stored with its input: it may be executed later, elsewhere, or
 * after a crash. Where a context manager is registered, others see our spans as their parents; our own nesting does not
 * need one.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  context as global,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import type { FinishReason } from '../core/models/adapter.ts'
import { toServer } from '../core/models/base-url.ts'
import type { ReadTraceContext } from '../core/models/trace-context.ts'
import type { Run } from '../core/store/queries/run-row.ts'
import { contentOf, inputOf, toolContent } from './span-content.ts'
import type { Watch, Watcher } from '../core/watch/watcher.ts'

export interface Tracing extends Watcher {
  /** What is stored with a new run: the span it is begun in. */
  noteRun(): { trace: string; traceState?: string } | undefined
}

export function createTracing({ tracer, content = false }: { tracer: Tracer; content?: boolean }): Tracing {
  const own = new AsyncLocalStorage<Context>()
  const runKey = createContextKey('parley.run')

  const current = (): Context => {
    const active = global.active()
    return active === ROOT_CONTEXT ? (own.getStore() ?? active) : active
  }

  /** The span of the current work, as others read it. */
  const carried: ReadTraceContext = () => {
    const span = trace.getSpanContext(current())
    if (!span || !isSpanContextValid(span)) return undefined
    const tracestate = span.traceState?.serialize()
    return { traceparent: toTraceparent(span), ...(tracestate && { tracestate }) }
  }

  /** A span, and how work is done in it. */
  function begin(
    name: string,
    { kind, attributes, parent = current() }: { kind: SpanKind; attributes: Attributes; parent?: Context },
  ) {
    const span = tracer.startSpan(name, { kind, attributes }, parent)
    const context = trace.setSpan(parent, span)
    return {
      span,
      within: <T>(work: () => T): T => own.run(context, () => global.with(context, work)),
      end(more: Attributes, error?: string): void {
        span.setAttributes(more)
        if (error !== undefined) fail(span, error)
        span.end()
      },
    }
  }

  return {
    noteRun() {
      const { traceparent, tracestate } = carried() ?? {}
      return traceparent === undefined
        ? undefined
        : { trace: traceparent, ...(tracestate !== undefined && { traceState: tracestate }) }
    },

    traceContext: carried,

    request({ requestId, method, url, header }) {
      const name = knownMethods.has(method) ? method : 'HTTP'
      const { span, within, end } = begin(name, {
        kind: SpanKind.SERVER,
        attributes: { ...methodOf(method), ...placeOf(url), 'parley.request.id': requestId },
        parent: fromTraceparent(header('traceparent'), header('tracestate')) ?? current(),
      })
      return {
        within,
        end({ route, status }) {
          // what every path matches is no route
          const matched = /^\/?\*$/.test(route) ? undefined : route
          if (matched !== undefined) span.updateName(`${name} ${matched}`)
          const answered = { 'http.route': matched, 'http.response.status_code': status }
          end(answered, status >= 500 ? String(status) : undefined)
        },
      }
    },

    run({ run, lease }) {
      const { operation, agent, workflow } = describe(run)
      const { trace: noted, traceState } = notedIn(run)
      const parent = (fromTraceparent(noted, traceState) ?? ROOT_CONTEXT).setValue(runKey, run)
      const { within, end } = begin(agent === undefined ? operation : `${operation} ${agent}`, {
        kind: SpanKind.INTERNAL,
        attributes: {
          'gen_ai.operation.name': operation,
          'gen_ai.conversation.id': run.sessionId,
          'gen_ai.agent.name': agent,
          'gen_ai.workflow.name': workflow?.name,
          'parley.workflow.step': workflow?.step,
          ...factsOf(run),
          'parley.run.claim': lease.fence,
          'parley.run.parent_id': run.parentId,
        },
        parent,
      })
      return {
        within,
        end: ({ status, code }) =>
          end(
            { 'parley.run.status': status, 'parley.run.code': code },
            failing.includes(status) ? (code ?? status) : undefined,
          ),
      }
    },

    step({ model, request, server }) {
      const { provider, name } = splitModel(model)
      const run = current().getValue(runKey) as Run | undefined
      const { span, within, end } = begin(`chat ${name}`, {
        kind: SpanKind.CLIENT,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': provider,
          'gen_ai.request.model': name,
          'gen_ai.request.stream': true,
          'gen_ai.request.max_tokens': request.maxOutputTokens,
          'gen_ai.request.temperature': request.temperature,
          'gen_ai.request.top_p': request.topP,
          'gen_ai.request.seed': request.seed,
          'gen_ai.request.stop_sequences': request.stop,
          'gen_ai.request.presence_penalty': request.presencePenalty,
          'gen_ai.request.frequency_penalty': request.frequencyPenalty,
          'server.address': server?.address,
          'server.port': server?.port,
          'gen_ai.output.type': request.replyFormat && 'json',
          'gen_ai.conversation.id': run?.sessionId,
          ...(run && factsOf(run)),
        },
      })
      const recorder = content && span.isRecording() ? contentOf() : undefined
      if (recorder) span.setAttributes(inputOf(request))
      return {
        within,
        onEvent: recorder?.take,
        end({ finish, fault, firstMs }) {
          const usage = finish?.usage
          end(
            {
              'gen_ai.response.finish_reasons': finish && [finishReasons[finish.reason]],
              'gen_ai.response.model': finish?.model,
              'gen_ai.response.id': finish?.id,
              'gen_ai.response.time_to_first_chunk': firstMs === undefined ? undefined : firstMs / 1_000,
              'gen_ai.usage.input_tokens': usage?.inputTokens,
              'gen_ai.usage.output_tokens': usage?.outputTokens,
              'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadTokens,
              'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens,
              'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
              ...recorder?.attributes(finish && finishReasons[finish.reason]),
            },
            fault,
          )
        },
      }
    },

    tool({ tool, toolCallId, input }): Watch<{ outcome: string; value?: unknown }> {
      const run = current().getValue(runKey) as Run | undefined
      const { within, end } = begin(`execute_tool ${tool.name}`, {
        kind: SpanKind.INTERNAL,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool.name,
          'gen_ai.tool.type': tool.isForeign ? 'extension' : 'function',
          'gen_ai.tool.call.id': toolCallId,
          'gen_ai.conversation.id': run?.sessionId,
          ...(run && factsOf(run)),
          ...(content && toolContent({ input })),
        },
      })
      return {
        within,
        end: ({ outcome, value }) =>
          end(
            content && outcome === 'ok' ? toolContent({ value }) : {},
            outcome === 'ok' ? undefined : `tool_${outcome}`,
          ),
      }
    },
  }
}

// others would make as many series as somebody likes
const knownMethods: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '),
)

const methodOf = (method: string): Attributes =>
  knownMethods.has(method)
    ? { 'http.request.method': method }
    : { 'http.request.method': '_OTHER', 'http.request.method_original': method }

/** Without the query, which may hold what somebody searches for. */
function placeOf(text: string): Attributes {
  const { protocol, pathname } = new URL(text)
  const server = toServer(text)
  return {
    'url.scheme': protocol.slice(0, -1),
    'url.path': pathname,
    'server.address': server?.address,
    'server.port': server?.port,
  }
}

// as the conventions spell them
const finishReasons: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_call',
  'content-filter': 'content_filter',
  other: 'other',
}

const failing: readonly string[] = ['failed', 'timeout', 'interrupted']

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const factsOf = ({ id, scope, kind }: Run): Attributes => ({
  'parley.run.id': id,
  'parley.run.kind': kind,
  'parley.scope': scope,
})

// they ask models by runs of others
const leading: readonly string[] = ['workflow', 'plan', 'room']

/** What a run does, in the terms of the conventions. */
function describe({ kind, input }: Run) {
  const { seat, workflow } = input as { seat?: { agent: string }; workflow?: { name: string; step: string } }
  return {
    operation: leading.includes(kind) ? 'invoke_workflow' : 'invoke_agent',
    agent: seat?.agent,
    workflow,
  }
}

/** The names of providers are those of the conventions; one of a program itself keeps its own. */
function splitModel(id: string): { provider: string; name: string } {
  const slash = id.indexOf('/')
  const adapter = id.slice(0, slash)
  return { provider: adapter === 'google' ? 'gcp.gemini' : adapter, name: id.slice(slash + 1) }
}

/** It came from the store, where programs can put anything. */
function notedIn({ input }: Run): { trace?: string; traceState?: string } {
  const { trace: noted, traceState } = (input ?? {}) as { trace?: unknown; traceState?: unknown }
  return {
    trace: typeof noted === 'string' ? noted : undefined,
    traceState: typeof traceState === 'string' ? traceState : undefined,
  }
}

const toTraceparent = ({ traceId, spanId, traceFlags }: ReturnType<Span['spanContext']>) =>
  `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`

/** Validates what came over the wire; undefined if it is not a trace context. */
function fromTraceparent(text: string | undefined, state?: string): Context | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(text ?? '') ?? []
  const span = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  }
  if (version === undefined || version === 'ff' || !isSpanContextValid(span)) return undefined
  return trace.setSpanContext(ROOT_CONTEXT, span)
}
