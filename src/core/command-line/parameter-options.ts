import { Option, type Command } from 'commander'
import { invalidRequest, quote } from '../protocol/error.ts'
import { reasoningEfforts, type ParameterSettings } from '../protocol/parameters.ts'
import { parseObject } from './option-values.ts'

/** The flags of `withParameters`, as they were given. */
export interface ParameterOptions {
  temperature?: string
  topP?: string
  maxOutputTokens?: string
  stop?: string[]
  seed?: string
  presencePenalty?: string
  frequencyPenalty?: string
  reasoningEffort?: string
  providerOptions?: string
}

const toModel = 'default'

export const withParameters = (command: Command): Command =>
  command
    .option('--temperature <number>', `0 to 2; "${toModel}" leaves this and the following to the model`)
    .option('--top-p <number>', '0 to 1')
    .option('--max-output-tokens <number>', 'of each model call')
    .option('--stop <text...>', 'texts before which an answer ends')
    .option('--seed <number>', 'for models that can repeat an answer')
    .option('--presence-penalty <number>', '-2 to 2')
    .option('--frequency-penalty <number>', '-2 to 2')
    .addOption(
      new Option('--reasoning-effort <effort>', 'how much the model thinks first').choices([
        ...reasoningEfforts,
        toModel,
      ]),
    )
    .option('--provider-options <json>', 'more fields of requests, by adapter: {"anthropic": {"top_k": 40}}')

/** What the flags say; undefined where none was given. */
export function readParameters(options: ParameterOptions): ParameterSettings | undefined {
  const { temperature, topP, maxOutputTokens, stop, seed, presencePenalty, frequencyPenalty } = options
  const { reasoningEffort: effort, providerOptions } = options
  const given: ParameterSettings = {
    temperature: toAmount('--temperature', temperature),
    topP: toAmount('--top-p', topP),
    maxOutputTokens: toAmount('--max-output-tokens', maxOutputTokens),
    stop: stop?.length === 1 && stop[0] === toModel ? null : stop,
    seed: toAmount('--seed', seed),
    presencePenalty: toAmount('--presence-penalty', presencePenalty),
    frequencyPenalty: toAmount('--frequency-penalty', frequencyPenalty),
    reasoningEffort: effort === toModel ? null : (effort as ParameterSettings['reasoningEffort']),
    providerOptions: (providerOptions === toModel
      ? null
      : parseObject('--provider-options', providerOptions)) as ParameterSettings['providerOptions'],
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return set.length === 0 ? undefined : Object.fromEntries(set)
}

function toAmount(flag: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  if (text === toModel) return null
  if (text.trim() === '' || !Number.isFinite(Number(text)))
    throw invalidRequest(`${flag} is ${quote(text)}; it must be a number, or "${toModel}".`)
  return Number(text)
}
