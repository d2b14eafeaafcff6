import { z } from 'zod'
import {
  idSchema,
  type InScope,
  labelSchema,
  listOf,
  scopeSchema,
  timestampSchema,
  wholeNumber,
  pageFields,
} from '../../../core/protocol/names.ts'
import { wordings } from '../../../core/protocol/wordings.ts'

export const maxTriples = 10_000
export const maxEntityName = 200
export const maxPredicate = 100
export const maxEntityType = 50
export const maxEvidence = 500
export const maxExtracted = 1_000
const maxFocus = 20
const maxQuery = 2_000

export const sourceKinds = ['document', 'import'] as const
export const sourceStatuses = ['pending', 'running', 'done', 'failed'] as const

const filled = (max: number) => labelSchema.max(max).refine((text) => text.trim() !== '', wordings.not_blank)
const entityNameSchema = filled(maxEntityName)
const sourceNameSchema = filled(200)
  // a part of an address that is one of these leads elsewhere
  .refine((name) => name !== '.' && name !== '..', wordings.not_dots)
  .meta({ description: 'What it is called, and replaced or forgotten by' })

/** A number of any kind is brought between the bounds; anything else counts as not given. */
const clamped = (min: number, max: number, fallback: number) =>
  z
    .unknown()
    .optional()
    .transform((value) => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (typeof number !== 'number' || !Number.isFinite(number)) return fallback
      return Math.min(max, Math.max(min, Math.floor(number)))
    })
    .meta({ type: 'integer', minimum: min, maximum: max })

/** What is asked of a graph, as the tool `graph_rag` takes it. */
export const graphQuestion = {
  query: z
    .string()
    .max(maxQuery)
    .refine((text) => text.trim() !== '', wordings.not_blank)
    .meta({ description: 'What is to be known, in words' }),
  top_k: clamped(1, 20, 12).meta({ description: 'How many triples at most; default 12' }),
  hops: clamped(1, 2, 1).meta({ description: 'How far from what the query names; default 1' }),
  focus_entities: z
    .preprocess(
      (value) => (typeof value === 'string' ? [value] : value),
      z.array(entityNameSchema).max(maxFocus).optional(),
    )
    .meta({
      type: 'array',
      items: { type: 'string' },
      maxItems: maxFocus,
      description: 'Names, or parts of names, to begin at beside what the query names',
    }),
  return_subgraph: z
    .unknown()
    .optional()
    .transform((value) => value !== false && value !== 'false')
    .meta({ type: 'boolean', description: 'Also answer nodes and edges; default true' }),
}

export const knowledgeQuerySchema = z
  .strictObject({ scope: scopeSchema.optional(), ...graphQuestion })
  .meta({ id: 'KnowledgeQuery' })
/** A query whose numbers are within their bounds. */
export type GraphQuestion = Omit<z.output<typeof knowledgeQuerySchema>, 'scope'>

export interface KnowledgeQuery extends InScope {
  query: string
  /** 1 to 20; default 12. */
  top_k?: number
  /** 1 or 2; default 1. */
  hops?: number
  focus_entities?: string | string[]
  /** Default true. */
  return_subgraph?: boolean
}

const tripleSourceSchema = z
  .object({
    documentId: z.string().optional(),
    title: z.string().optional().meta({ description: 'Of the document' }),
    version: z.int().optional().meta({ description: 'Of the document, that was read' }),
    source: z.string().optional().meta({ description: 'The name of an import' }),
    evidence: z.string().optional().meta({ description: 'The passage that says so' }),
  })
  .meta({ id: 'KnowledgeTripleSource' })
export type TripleSource = z.infer<typeof tripleSourceSchema>

const answeredTripleSchema = z
  .object({
    subject: z.string(),
    predicate: z.string(),
    object: z.string(),
    score: z.number().meta({ description: 'Of the best, 1' }),
    sources: z.array(tripleSourceSchema).meta({ description: 'Up to 5' }),
  })
  .meta({ id: 'KnowledgeTriple' })
export type AnsweredTriple = z.infer<typeof answeredTripleSchema>

const nodeSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    description: z.string(),
    score: z.number(),
    isEntry: z.boolean().meta({ description: 'The query or the focus led to it' }),
  })
  .meta({ id: 'KnowledgeNode' })

const edgeSchema = z
  .object({
    subject: z.string().meta({ description: 'The id of a node' }),
    predicate: z.string(),
    object: z.string().meta({ description: 'The id of a node' }),
    score: z.number(),
    sources: z.array(z.string()).meta({ description: 'Ids of documents and names of imports' }),
  })
  .meta({ id: 'KnowledgeEdge' })

const entryReasons = ['name', 'relation', 'focus', 'meaning'] as const
const entryPointSchema = z.object({
  id: z.string(),
  name: z.string(),
  score: z.number(),
  by: z.array(z.enum(entryReasons)),
})
export type EntryReason = (typeof entryReasons)[number]

export const knowledgeAnswerSchema = z
  .object({
    triples: z.array(answeredTripleSchema).meta({ description: 'Best first' }),
    prompt: z
      .string()
      .meta({ description: 'The same as text for a prompt; nothing in it can close its tag' }),
    subgraph: z.object({ nodes: z.array(nodeSchema), edges: z.array(edgeSchema) }).optional(),
    metadata: z.object({
      entities: z.int().meta({ description: 'How many were searched' }),
      relations: z.int().meta({ description: 'How many were searched' }),
      entryPoints: z.array(entryPointSchema),
      truncated: z.boolean().meta({ description: 'There is more around them than was searched' }),
      topK: z.int(),
      hops: z.int(),
    }),
  })
  .meta({ id: 'KnowledgeAnswer' })
export type KnowledgeAnswer = z.infer<typeof knowledgeAnswerSchema>

export const knowledgeSourceSchema = z
  .object({
    name: z.string().meta({ description: 'Of a document, its id' }),
    kind: z.enum(sourceKinds),
    title: z.string().optional().meta({ description: 'Of the document' }),
    status: z.enum(sourceStatuses).meta({ description: 'How reading the document goes; of an import, done' }),
    reason: z.string().optional().meta({ description: 'Why it failed' }),
    version: z.int().optional().meta({ description: 'Of the document, that the relations are of' }),
    currentVersion: z.int().optional().meta({ description: 'Of the document as it is now' }),
    parts: z.int().optional().meta({ description: 'While it is read: of how many parts' }),
    partsDone: z.int().optional(),
    sessionIds: z.array(z.string()).optional().meta({ description: 'Background sessions that read it now' }),
    relations: z.int().nonnegative(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'KnowledgeSource' })
export type KnowledgeSource = z.infer<typeof knowledgeSourceSchema>

export const knowledgeSourcePageSchema = z
  .object({ items: z.array(knowledgeSourceSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'KnowledgeSourcePage' })
export type KnowledgeSourcePage = z.infer<typeof knowledgeSourcePageSchema>

export const knowledgeSourceListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  kind: z.enum(sourceKinds).optional(),
  status: z.enum(sourceStatuses).optional(),
  name: sourceNameSchema.optional().meta({ description: 'Only this one' }),
  ...pageFields,
})
export type KnowledgeSourceListQuery = z.infer<typeof knowledgeSourceListQuerySchema>

export const sourceParam = z.object({ name: sourceNameSchema })

const givenTripleSchema = z.strictObject({
  subject: entityNameSchema,
  predicate: filled(maxPredicate),
  object: entityNameSchema,
  subjectType: labelSchema.max(maxEntityType).optional(),
  objectType: labelSchema.max(maxEntityType).optional(),
  evidence: z.string().max(maxEvidence).optional(),
})
export type GivenTriple = z.infer<typeof givenTripleSchema>

export const importKnowledgeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    source: sourceNameSchema,
    triples: listOf(givenTripleSchema, maxTriples, { type: 'object' }).meta({
      description: '{subject, predicate, object, subjectType?, objectType?, evidence?}',
    }),
    replace: z
      .boolean()
      .optional()
      .meta({ description: 'What the source said before and does not say now is forgotten' }),
  })
  .meta({ id: 'ImportKnowledge' })
export type ImportKnowledge = z.infer<typeof importKnowledgeSchema>

export const knowledgeImportedSchema = z
  .object({
    source: knowledgeSourceSchema,
    added: z.int().meta({ description: 'Triples that the source had not said before' }),
    removed: z.int(),
  })
  .meta({ id: 'KnowledgeImported' })
export type KnowledgeImported = z.infer<typeof knowledgeImportedSchema>

export const extractKnowledgeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    documentIds: listOf(idSchema, maxExtracted, { type: 'string' })
      .optional()
      .meta({ description: 'Default: all that were changed since they were read, and those that failed' }),
    model: z.string().min(1).max(200).optional().meta({ description: 'That reads them' }),
  })
  .meta({ id: 'ExtractKnowledge' })
export type ExtractKnowledge = z.infer<typeof extractKnowledgeSchema>

export const knowledgeExtractionSchema = z
  .object({
    items: z.array(knowledgeSourceSchema).meta({ description: 'What is read now, or waits for it' }),
    more: z.boolean().meta({ description: `There are more than ${maxExtracted}: ask once more` }),
  })
  .meta({ id: 'KnowledgeExtraction' })
export type KnowledgeExtraction = z.infer<typeof knowledgeExtractionSchema>

export const knowledgeStatsSchema = z
  .object({
    entities: z.int(),
    relations: z.int(),
    imports: z.int(),
    documents: z.object({
      pending: z.int(),
      running: z.int(),
      done: z.int(),
      failed: z.int(),
      changed: z.int().meta({ description: 'Of the scope: not read yet, or changed since' }),
    }),
  })
  .meta({ id: 'KnowledgeStats' })
export type KnowledgeStats = z.infer<typeof knowledgeStatsSchema>

export const entityListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  q: z.string().min(1).max(maxEntityName).optional().meta({ description: 'A part of the name' }),
  limit: wholeNumber(1).optional(),
  cursor: z.string().max(2_000).optional(),
})
export type EntityListQuery = z.infer<typeof entityListQuerySchema>

export const entityPageSchema = z
  .object({
    items: z.array(
      z
        .object({ id: z.string(), name: z.string(), type: z.string(), description: z.string() })
        .meta({ id: 'KnowledgeEntity' }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'KnowledgeEntityPage' })
export type EntityPage = z.infer<typeof entityPageSchema>
