/**
 * The kinds of value a setting can have. Every error text completes the sentence "<setting> must be …",
 * and none of them repeats the value: the caller that prints the problem knows whether it is a secret.
 */
import { isIP } from 'node:net'
import { z } from 'zod'
import type { GroupSwitches } from '../protocol/permission.ts'
import { compileObjectSchema } from '../protocol/json-schema.ts'
import { isNewProviderName, modalities, namedProviderKinds, providerNameRule } from '../protocol/models.ts'
import { scopeSchema } from '../protocol/names.ts'
import { parameterFields } from '../protocol/parameters.ts'
import { isHost, withoutBrackets } from './host.ts'

export function wholeNumber(min: number, max: number, note = '') {
  const error = `a whole number from ${min} to ${max}${note}`
  return z.int({ error }).check(z.gte(min, { error }), z.lte(max, { error }))
}

export function numberFrom(min: number, max: number) {
  const error = `a number from ${min} to ${max}`
  return z.number(error).min(min, error).max(max, error)
}

export function oneOf<const T extends string>(...values: T[]) {
  return z.enum(values, { error: `one of ${values.join(', ')}` })
}

export const onOff = z.boolean('true or false')

const folderError = 'the path of a folder'
export const folder = z
  .string(folderError)
  .min(1, folderError)
  .refine((text) => !text.includes('\0'), folderError)

const pathError = 'the path of a file or folder'
export const path = z
  .string(pathError)
  .min(1, pathError)
  .refine((text) => !text.includes('\0'), pathError)
export const paths = z.array(path, 'a list of paths').max(100, 'a list of at most 100 paths')

const hostError = 'an IP address or a host name, without scheme, port or wildcard (0.0.0.0 is every address)'
export const host = z.string(hostError).refine(isHost, hostError).overwrite(withoutBrackets)

/** A key that can travel in an HTTP header; anything else would surface, value and all, in an error of fetch. */
export function secretKey(minLength = 1) {
  const error = `at least ${minLength} printable ASCII characters without spaces`
  return z
    .string(error)
    .min(minLength, error)
    .regex(/^[\x21-\x7e]+$/, error)
}

const modelError = 'an adapter and a model, such as openai/gpt-5.2 or demo/parley'
export const model = z.string(modelError).regex(/^[a-z0-9][a-z0-9_-]*\/\S+$/, modelError)

const instructionError = 'a text of 1 to 20000 characters'
export const instruction = z.string(instructionError).min(1, instructionError).max(20_000, instructionError)

const serviceNameError = 'a name of 1 to 100 characters'
export const serviceName = z.string(serviceNameError).min(1, serviceNameError).max(100, serviceNameError)

const memoSchemaError = 'a JSON Schema of an object, with "type: object"'
export const memoSchema = z
  .record(z.string(), z.unknown(), memoSchemaError)
  .refine(isObjectSchema, memoSchemaError)

const stopError = 'a list of 1 to 16 texts of 1 to 500 characters'
export const stopTexts = z
  .array(z.string(stopError).min(1, stopError).max(500, stopError), stopError)
  .min(1, stopError)
  .max(16, stopError)

const optionsError = 'a mapping of adapters to fields of their requests, none of which Parley sets itself'
export const providerOptions = z
  .record(z.string(), z.record(z.string(), z.unknown(), optionsError), optionsError)
  .refine((value) => parameterFields.providerOptions.safeParse(value).success, optionsError)

const urlError = 'an http:// or https:// URL without user name and password'
export const httpUrl = z
  .url({ protocol: /^https?$/, error: urlError, abort: true })
  // fetch refuses such a URL, and every log of the address would contain the password
  .refine((text) => !hasCredentials(new URL(text)), urlError)

export const postgresUrl = z
  .string({ error: postgresUrlError })
  // a raw / ? # in a password moves the rest of it into the path, which no mask covers
  .regex(/^postgres(ql)?:\/\/[^\s#?/]*([/?][^\s#@]*)?$/i, { error: postgresUrlError })
  .refine((text) => URL.canParse(text), { error: postgresUrlError })

const ollamaError = 'the address of an Ollama server, such as http://127.0.0.1:11434 or gpu-box:11434'
/** Read as Ollama reads OLLAMA_HOST: without a scheme it is http, and the port is 11434 unless given. */
export const ollamaHost = z
  .string(ollamaError)
  .refine((text) => toOllamaUrl(text) !== undefined, ollamaError)
  .overwrite((text) => toOllamaUrl(text) ?? text)

const hostHeaderError = 'a Host header such as parley.example.com:8443, without scheme or wildcard'
export const hostHeaders = z.array(
  z
    .string(hostHeaderError)
    .regex(/^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i, hostHeaderError)
    .toLowerCase(),
  'a list of Host headers',
)

const originError =
  'an exact origin such as https://parley.example.com, without path, final slash or wildcard'
export const origins = z.array(
  z.string(originError).refine(isExactOrigin, originError),
  'a list of origins such as https://parley.example.com',
)

const privateHostError = 'a host name, an IP address or a range such as 10.0.0.0/8, without scheme or port'
export const privateHosts = z.array(
  z.string(privateHostError).refine(isHostOrRange, privateHostError).overwrite(withoutBrackets),
  'a list of hosts, addresses and ranges',
)

const scopeList = 'a list with at least one scope name'
export const boundKeys = z
  .array(
    z.strictObject(
      {
        name: z.string('a name').regex(/^[\w .@-]{1,64}$/, 'a name of 1 to 64 letters, digits and " _.@-"'),
        key: secretKey(16),
        scopes: z.array(scopeSchema, scopeList).min(1, scopeList),
      },
      'a mapping with name, key and scopes',
    ),
    'a list of keys, each with name, key and scopes',
  )
  .refine((keys) => areDifferent(keys.map(({ name }) => name)), 'a list of keys with different names')
  .refine((keys) => areDifferent(keys.map(({ key }) => key)), 'a list of different keys')

export const scopeRoots = z.record(
  scopeSchema,
  z.strictObject({ root: folder }, 'a mapping with root, the folder of the scope'),
  'a mapping of scope names',
)

const amountError = 'a number above 0, at most 1000000000'
export const amount = z.number(amountError).positive(amountError).max(1e9, amountError)

export const modelFacts = z.record(
  model,
  z.strictObject(
    {
      contextWindow: wholeNumber(1, 1_000_000_000).optional(),
      maxOutputTokens: wholeNumber(1, 1_000_000_000).optional(),
      input: z.array(oneOf(...modalities), `a list of ${modalities.join(', ')}`).optional(),
    },
    'a mapping with contextWindow, maxOutputTokens and input',
  ),
  'a mapping of models, such as openai/gpt-5.2',
)

/** `${NAME}` and `${NAME:-default}` in a text; a variable that is not set is left for it to say so. */
export const expandVariables = (text: string, env: Readonly<Record<string, string | undefined>>): string =>
  text.replaceAll(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (whole, name: string, fallback?: string) => env[name] || (fallback ?? whole),
  )

const providerNameError = `a name of ${providerNameRule}`
export const namedProviders = z.record(
  z.string().refine(isNewProviderName, providerNameError),
  z.strictObject(
    { kind: oneOf(...namedProviderKinds).optional(), baseUrl: httpUrl, apiKey: secretKey().optional() },
    'a mapping with baseUrl, and kind and apiKey where they are needed',
  ),
  'a mapping of providers by name',
)

const priceError = 'a number from 0: the price of a million tokens'
const price = z.number(priceError).min(0, priceError)
export const prices = z.record(
  model,
  z.strictObject(
    { input: price, output: price, cacheRead: price.optional(), cacheWrite: price.optional() },
    'a mapping with input and output, and cacheRead and cacheWrite where they differ',
  ),
  'a mapping of models, such as openai/gpt-5.2',
)

export const permissionRules = z.array(
  z.strictObject(
    {
      tool: z
        .string('the name of a tool, or a pattern with *')
        .min(1, 'the name of a tool, or a pattern with *'),
      action: z.array(z.string('the name of an action'), 'a list of actions').optional(),
      path: z.string('a pattern of paths, commands or hosts').min(1).optional(),
      decision: oneOf('allow', 'ask', 'deny'),
      message: z.string('a sentence').max(500).optional(),
    },
    'a mapping with tool and decision',
  ),
  'a list of rules',
)

export const groupSwitchesOf = (groups: readonly (keyof GroupSwitches)[]) =>
  z.partialRecord(
    z.enum(groups, { error: `one of ${groups.join(', ')}` }),
    onOff,
    'a mapping of groups of tools to true or false',
  )

export const headers = z.record(
  z.string().regex(/^[\w-]+$/, 'the name of a header'),
  z.string('a text'),
  'a mapping of headers',
)
function isObjectSchema(schema: Record<string, unknown>): boolean {
  try {
    compileObjectSchema(schema, 'schema')
    return true
  } catch {
    return false // it contains nothing that could be checked
  }
}

function hasCredentials(url: URL): boolean {
  return url.username !== '' || url.password !== ''
}

function postgresUrlError({ input }: { input?: unknown }): string {
  const scheme = typeof input === 'string' ? /^[a-z][a-z0-9+.-]{0,20}:\/\//i.exec(input)?.[0] : undefined
  const isOther = scheme !== undefined && !/^postgres(ql)?:/i.test(scheme)
  if (isOther) return `a postgres:// or postgresql:// URL, not a ${scheme} one`
  return 'a postgres:// or postgresql:// URL with the special characters of its password percent-encoded'
}

function toOllamaUrl(text: string): string | undefined {
  const hasScheme = text.includes('://')
  const url = URL.parse(hasScheme ? text : `http://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol) || hasCredentials(url)) return undefined
  if (!hasScheme && !/:\d+(\/|$)/.test(text)) url.port = '11434'
  return url.href.replace(/\/+$/, '')
}

function isExactOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@*\s]+$/.test(text)) return false
  // desktop shells and browser extensions have schemes of their own, to which URL gives no origin
  return !/^https?:/.test(text) || URL.parse(text)?.origin === text
}

function isHostOrRange(text: string): boolean {
  const [, address = '', bits] = /^(.+)\/(\d{1,3})$/.exec(text) ?? []
  return bits === undefined ? isHost(text) : Number(bits) <= ({ 4: 32, 6: 128 }[isIP(address)] ?? -1)
}

function areDifferent(values: string[]): boolean {
  return new Set(values).size === values.length
}
