import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { createApp } from '../../src/server/index.ts'

type App = ReturnType<typeof createApp>

// the committed one; openapi.test.ts holds what is served against it
const path = join(import.meta.dirname, '../../schema/openapi.json')

/**
 * The same app, whose JSON answers are held against the OpenAPI document: one that does not fit, or that has a field which
 * is not declared, fails the test that runs.
 */
export function holdAnswers(app: App): App {
  const fetch: App['fetch'] = async (request, ...rest) => {
    const response = await app.fetch(request, ...rest)
    if (!response.ok || !isJson(response)) return response
    const { method, url } = request
    const findMisfits = checkOf(method, new URL(url).pathname, response.status)
    // not even read, as it may be sent piece by piece
    if (!findMisfits) return response
    const text = await response.text()
    const misfits = findMisfits(text)
    // between tests there is nothing to fail, and this throws
    if (misfits.length > 0)
      expect.soft(misfits, `the answer of ${method} ${url}: ${text.slice(0, 1_000)}`).toEqual([])
    return new Response(text, response)
  }
  return Object.create(app, { fetch: { value: fetch } }) as App
}

const isJson = ({ headers }: Response) => /^application\/json\b/.test(headers.get('content-type') ?? '')

/** Lists what is wrong with an answer; undefined for one of which the document says nothing. */
export function checkOf(
  method: string,
  pathname: string,
  status: number,
): ((text: string) => string[]) | undefined {
  const pattern = findPattern(method, pathname)
  if (pattern === undefined) return undefined
  const name = `${method} ${pattern}`
  const responses = readDocument().document.paths[pattern]![method.toLowerCase()]!.responses
  if (!(status in responses)) return () => [`the document has no status ${status} for ${name}`]
  // formats of exports differ too much
  if (!responses[status]!.content) return undefined
  const validate = validatorOf(method, pattern, status)
  if (!validate) return () => [`the document has no JSON with status ${status} for ${name}`]
  return (text) => {
    if (validate(JSON.parse(text))) return []
    return validate.errors!.map((one) => `${one.instancePath} ${one.message} ${JSON.stringify(one.params)}`)
  }
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>
}

const lazily = <T>(make: () => T) => {
  let made: T | undefined
  return () => (made ??= make())
}

const readDocument = lazily(() => {
  const document = JSON.parse(readFileSync(path, 'utf8'), toClosed) as Document
  // formats have patterns beside them
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: true })
  ajv.addSchema(document, 'api')
  const patterns = Object.keys(document.paths).map((pattern) => ({
    pattern,
    parts: pattern.split('/'),
    methods: new Set(Object.keys(document.paths[pattern]!)),
  }))
  return { document, ajv, patterns: Map.groupBy(patterns, ({ parts }) => parts.length) }
})

/** An object that lists its fields has no others, unless it says that it has. */
function toClosed(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { type, properties, additionalProperties } = value as Record<string, unknown>
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (!isObject || properties === undefined || additionalProperties !== undefined) return value
  return { ...value, additionalProperties: false }
}

/** The first that fits, as in the router: those with more words of their own are declared before the others. */
function findPattern(method: string, pathname: string): string | undefined {
  const parts = pathname.split('/')
  const fitting = (readDocument().patterns.get(parts.length) ?? []).filter(
    (known) =>
      known.methods.has(method.toLowerCase()) &&
      known.parts.every((part, index) => part.startsWith('{') || part === parts[index]),
  )
  const variable = ({ parts: own }: (typeof fitting)[0]) => own.filter((part) => part.startsWith('{')).length
  return fitting.sort((one, other) => variable(one) - variable(other))[0]?.pattern
}

const validators = new Map<string, ValidateFunction | undefined>()

function validatorOf(method: string, pattern: string, status: number): ValidateFunction | undefined {
  const key = `${method} ${pattern} ${status}`
  if (!validators.has(key)) validators.set(key, compile(method.toLowerCase(), pattern, status))
  return validators.get(key)
}

function compile(method: string, pattern: string, status: number): ValidateFunction | undefined {
  const { document, ajv } = readDocument()
  const { content } = document.paths[pattern]![method]!.responses[status] ?? {}
  if (!content || !('application/json' in content)) return undefined
  const steps = ['paths', pattern, method, 'responses', status, 'content', 'application/json', 'schema']
  const pointer = steps.map((step) => encodeURIComponent(String(step).replaceAll('/', '~1'))).join('/')
  return ajv.compile({ $ref: `api#/${pointer}` })
}
