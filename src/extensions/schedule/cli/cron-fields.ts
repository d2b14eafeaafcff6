import { Option, type Command } from 'commander'
import { missedPolicies, overlapPolicies, type Cron, type UpdateCron } from '../protocol/cron.ts'
import { parseObject, toNumber } from '../../../core/command-line/option-values.ts'
import type { UpdateEventHook } from '../protocol/event-hook.ts'
import { readFileText, readStdin } from '../../../core/command-line/read-text.ts'

/** Options of the command line for the sessions that crons and event hooks start. */
export interface TaskOptions {
  prompt?: string
  name?: string
  label?: string
  model?: string
  context?: string
  expectedOutput?: string
  outputSchema?: string
  timeout?: string
  announce?: string
  wake?: boolean
}

/** What `add` and `edit` of crons have in common. */
export interface FieldOptions extends TaskOptions {
  schedule?: string
  timeZone?: string
  missed?: Cron['missed']
  maxMissed?: string
  overlap?: Cron['overlap']
  maxFailures?: string
}

export const withTaskFields = (command: Command): Command =>
  command
    .option('--name <name>')
    .option('--label <label>', 'the label of its results (the name)')
    .option('-m, --model <adapter/model>', 'the model to use')
    .option('--context <json>', 'an object to send with the prompt')
    .option('--expected-output <text>', 'what the result should be like')
    .option('--output-schema <file>', 'JSON Schema that the result has to match')
    .option('--timeout <seconds>', 'the time limit of each session')
    .option('--announce <session>', 'the session that gets the results')
    .option('--no-wake', 'results do not start a turn there')

export const withFields = (command: Command): Command =>
  withTaskFields(command)
    .option('--time-zone <name>', 'of the IANA database, e.g. Europe/Berlin (UTC)')
    .addOption(
      new Option('--missed <policy>', 'what to do about missed times (once)').choices(missedPolicies),
    )
    .option('--max-missed <number>', 'how many are made up for with --missed all (10)')
    .addOption(
      new Option('--overlap <policy>', 'what to do while an earlier fire is running (skip)').choices(
        overlapPolicies,
      ),
    )
    .option('--max-failures <number>', 'pause after so many failures in a row; 0 is never (5)')

/** The same fields as the API expects them. */
export async function readTaskFields(options: TaskOptions) {
  const { name, label, model, expectedOutput, announce, wake } = options
  const timeout = toNumber('--timeout', options.timeout)
  return {
    prompt: options.prompt === '-' ? (await readStdin()).trim() : options.prompt,
    name,
    label,
    model,
    context: parseObject('--context', options.context),
    expectedOutput,
    outputSchema: parseObject(
      '--output-schema',
      options.outputSchema === undefined ? undefined : await readFileText(options.outputSchema),
    ),
    timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
    announceTarget: announce,
    // only --no-wake is passed on: without it the default applies
    wake: wake === false ? false : undefined,
  } satisfies UpdateEventHook
}

export async function readFields(options: FieldOptions) {
  const { schedule, timeZone, missed, overlap } = options
  return {
    ...(schedule !== undefined && { schedule }),
    ...(await readTaskFields(options)),
    timeZone,
    missed,
    maxMissed: toNumber('--max-missed', options.maxMissed),
    overlap,
    maxFailures: toNumber('--max-failures', options.maxFailures),
  } satisfies UpdateCron
}
