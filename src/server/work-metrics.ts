import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Store } from '../core/store/store.ts'
import type { Watchers } from '../core/watch/watcher.ts'

export interface WorkSources {
  watchers: Watchers
  store: Store
}

// names of models come from clients, those of tools from programs: there must be an end to it
const maxNames = 100

/** What this process did since it started: each node counts its own, so they can be added up. */
export function addWorkMetrics(registry: Registry, { watchers, store }: WorkSources): void {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ) => new Histogram<Label>({ name, help, buckets, labelNames, registers })

  const started = counter('parley_runs_started_total', 'Runs begun here for the first time', 'kind')
  const ended = counter('parley_runs_ended_total', 'Runs whose end was stored here', 'kind', 'status')
  const takenOver = counter('parley_runs_taken_over_total', 'Runs of a node that died', 'kind')
  const released = counter('parley_runs_released_total', 'Runs let go of before their end', 'kind')
  const executing = new Gauge({
    name: 'parley_runs_executing',
    help: 'Runs that this process works on',
    labelNames: ['kind'],
    registers,
  })
  const runSeconds = histogram(
    'parley_run_seconds',
    'Time worked on a run, without what it waited',
    [0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
    'kind',
  )
  const steps = counter('parley_model_calls_total', 'Calls of models that were answered', 'model')
  const faults = counter('parley_model_errors_total', 'Calls of models that were not', 'model', 'code')
  const tokens = counter('parley_model_tokens_total', 'Tokens as providers report them', 'model', 'type')
  const stepSeconds = histogram(
    'parley_model_call_seconds',
    'Time until the answer was whole',
    [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300],
    'model',
  )
  const firstSeconds = histogram(
    'parley_model_first_event_seconds',
    'Time until the answer began',
    [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60],
    'model',
  )
  const calls = counter('parley_tool_calls_total', 'Calls of tools', 'tool', 'outcome')
  const callSeconds = histogram(
    'parley_tool_call_seconds',
    'Time of a call that was made',
    [0.001, 0.01, 0.1, 0.5, 1, 5, 15, 60],
    'tool',
  )
  const transactionSeconds = histogram(
    'parley_store_transaction_seconds',
    'Time until a transaction was committed, or failed',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
    'outcome',
  )
  const retries = counter('parley_store_transaction_retries_total', 'Transactions begun again')
  const modelOf = boundNames()
  const toolOf = boundNames()

  store.subscribe((change) => {
    if (change.type === 'run-ended') ended.inc({ kind: change.kind, status: change.status })
  })
  watchers.add({
    run({ run: { kind, attempt }, lease }) {
      if (lease.fence === 1) started.inc({ kind })
      // what waited or was given back begins at one again
      if (attempt > 1) takenOver.inc({ kind })
      executing.inc({ kind })
      const stop = runSeconds.startTimer({ kind })
      return {
        end({ status }) {
          stop()
          executing.dec({ kind })
          if (status === 'released') released.inc({ kind })
        },
      }
    },
    step({ model: id }) {
      const model = modelOf(id)
      const stop = stepSeconds.startTimer({ model })
      return {
        end({ finish, fault, firstMs }) {
          stop()
          if (firstMs !== undefined) firstSeconds.observe({ model }, firstMs / 1_000)
          if (fault !== undefined) faults.inc({ model, code: fault })
          if (!finish) return
          const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = finish.usage
          steps.inc({ model })
          tokens.inc({ model, type: 'input' }, inputTokens ?? 0)
          tokens.inc({ model, type: 'output' }, outputTokens ?? 0)
          tokens.inc({ model, type: 'cache_read' }, cacheReadTokens ?? 0)
          tokens.inc({ model, type: 'cache_write' }, cacheWriteTokens ?? 0)
        },
      }
    },
    tool({ tool: { name, group = 'foreign', isForeign } }) {
      // tool names of other programs are theirs to choose, and to change
      const tool = isForeign ? group : toolOf(name)
      const began = performance.now()
      return {
        end({ outcome }) {
          calls.inc({ tool, outcome })
          if (outcome !== 'refused') callSeconds.observe({ tool }, (performance.now() - began) / 1_000)
        },
      }
    },
    transaction({ ms, attempts, isCommitted }) {
      transactionSeconds.observe({ outcome: isCommitted ? 'committed' : 'failed' }, ms / 1_000)
      if (attempts > 1) retries.inc(attempts - 1)
    },
  })
}

/** The first names as they are; all later ones are `other`. */
function boundNames(): (name: string) => string {
  const known = new Set<string>()
  return (name) => {
    if (known.size < maxNames) known.add(name)
    return known.has(name) ? name : 'other'
  }
}
