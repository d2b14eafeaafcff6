import type { TaskResult } from '../../core/protocol/background.ts'
import { maxEntityName, maxEntityType, maxEvidence, maxPredicate } from './protocol/knowledge.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import type { EntityFacts } from './store/knowledge-row.ts'
import type { Triple } from './triples.ts'

/** What a part of a document was found to say. */
export interface Findings {
  triples: Triple[]
  entities: EntityFacts[]
}

export const maxFound = 200
const maxDescription = 500
// a relation that is hardly sure still joins two things
const minWeight = 0.05

/** What the reader of a part has to return. */
export const findingsSchema = {
  type: 'object',
  properties: {
    triples: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          subject: { type: 'string' },
          predicate: { type: 'string' },
          object: { type: 'string' },
          subject_type: { type: 'string' },
          object_type: { type: 'string' },
          evidence: { type: 'string' },
          confidence: { type: 'number' },
        },
        required: ['subject', 'predicate', 'object'],
      },
    },
    entities: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          type: { type: 'string' },
          description: { type: 'string' },
        },
        required: ['name'],
      },
    },
  },
  required: ['triples'],
}

/**
 * What a model handed in is data: what does not fit is left out, what is too long is cut, and evidence that is not in the
 * text is none. Answers why when there is nothing to be had of it.
 */
export function readFindings(result: TaskResult, text: string): Findings | { error: string } {
  const { status, output, error, structuredData } = result
  if (status !== 'success' && status !== 'partial')
    return { error: error ?? (output || `It ended as ${status}.`) }
  const data = structuredData ?? parseObject(output)
  if (!isObject(data) || !Array.isArray(data.triples)) return { error: 'No triples were handed in.' }
  const found = data.triples.slice(0, maxFound)
  const words = spaced(text)
  const triples = found.flatMap((item) => readTriple(item, words) ?? [])
  if (found.length > 0 && triples.length === 0)
    return { error: `None of the ${found.length} triples that were handed in can be used.` }
  const described = Array.isArray(data.entities) ? data.entities.slice(0, maxFound) : []
  return { triples, entities: described.flatMap((item) => readEntity(item) ?? []) }
}

/** From a model that wrote it as text instead of calling the tool. */
function parseObject(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  } catch {
    return undefined // it is no JSON, and there is nobody to ask again
  }
}

function readTriple(item: unknown, words: string): Triple | undefined {
  if (!isObject(item)) return undefined
  const subject = readText(item.subject, maxEntityName)
  const predicate = readText(item.predicate, maxPredicate)
  const object = readText(item.object, maxEntityName)
  if (subject === '' || predicate === '' || object === '') return undefined
  const evidence = readText(item.evidence, maxEvidence)
  const { confidence } = item
  const isSure = typeof confidence !== 'number' || !Number.isFinite(confidence)
  return {
    subject,
    predicate,
    object,
    subjectType: readText(item.subject_type, maxEntityType),
    objectType: readText(item.object_type, maxEntityType),
    evidence: words.includes(spaced(evidence)) ? evidence : '',
    weight: isSure ? 1 : Math.min(1, Math.max(minWeight, confidence)),
  }
}

function readEntity(item: unknown): EntityFacts | undefined {
  if (!isObject(item)) return undefined
  const name = readText(item.name, maxEntityName)
  if (name === '') return undefined
  return {
    name,
    type: readText(item.type, maxEntityType),
    description: readText(item.description, maxDescription),
  }
}

/** One line without what no database takes. */
const readText = (value: unknown, limit: number): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value)
        // oxlint-disable-next-line no-control-regex -- these are what is taken out
        .replace(/[\u0000-\u001f\u007f\s]+/g, ' ')
        .trim()
        .slice(0, limit)
        .toWellFormed()
        .trim()
    : ''

/** Line breaks and case do not make another passage. */
const spaced = (text: string) => text.replace(/\s+/g, ' ').toLowerCase()
