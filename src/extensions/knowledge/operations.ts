import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import { extractDocuments } from './extract-documents.ts'
import { importTriples } from './import-triples.ts'
import { queryKnowledge } from './query-knowledge.ts'
import { forgetSource, listEntities, listSources, readStats } from './sources.ts'
import {
  entityListQuerySchema,
  entityPageSchema,
  extractKnowledgeSchema,
  importKnowledgeSchema,
  knowledgeAnswerSchema,
  knowledgeExtractionSchema,
  knowledgeImportedSchema,
  knowledgeQuerySchema,
  knowledgeSourceListQuerySchema,
  knowledgeSourcePageSchema,
  knowledgeStatsSchema,
  sourceParam,
} from './protocol/knowledge.ts'
import type { KnowledgeDeps } from './knowledge-service.ts'

const knowledge = operationsOf<KnowledgeDeps>('knowledge')

export const knowledgeOperations = {
  stats: knowledge.read('/api/knowledge', {
    summary: 'Get the size of the graph, and the state of the documents',
    output: knowledgeStatsSchema,
    returns: 'Counts',
    run: ({ tx, caller }) => readStats(tx, caller),
  }),
  /** Throws `not_found` where nothing is known. */
  query: knowledge.write('POST', '/api/knowledge/query', {
    summary: 'Find the knowledge related to a question; changes nothing',
    input: knowledgeQuerySchema,
    output: knowledgeAnswerSchema,
    // nothing is stored that a second one could find
    keepsKeys: false,
    returns: 'Triples with their sources',
    run: ({ deps, caller }, _, question) => queryKnowledge(deps, caller, question),
  }),
  /** All of the triples or none; what is known already is not stored twice. */
  import: knowledge.write('POST', '/api/knowledge/import', {
    summary: 'Add triples of a source, or replace all of them',
    body: 'large',
    input: importKnowledgeSchema,
    output: knowledgeImportedSchema,
    returns: 'The source as it is now',
    run: ({ tx, caller }, _, given) => importTriples(tx, caller, given),
  }),
  /** Starts background sessions that read documents; `sources` returns their progress. */
  extract: knowledge.write('POST', '/api/knowledge/extract', {
    summary: 'Have background sessions read documents: the named ones, or all that have changed',
    input: extractKnowledgeSchema,
    output: knowledgeExtractionSchema,
    status: 202,
    returns: 'What is read, or waits for it',
    run: ({ tx, deps, caller }, _, wish) => extractDocuments(deps, tx, caller, wish),
  }),
  /** What was changed last comes first. */
  sources: knowledge.read('/api/knowledge/sources', {
    summary: 'List the documents and imports that knowledge comes from, last changed first',
    input: knowledgeSourceListQuerySchema,
    output: knowledgeSourcePageSchema,
    returns: 'A page of sources',
    run: ({ tx, pages, caller }, _, filter) => listSources(tx, pages, caller, filter),
  }),
  /** Removes all triples of a source; a document that is being read is not read any further. */
  forget: knowledge.remove('/api/knowledge/sources/{name}', {
    summary: 'Forget everything from a source; the document itself stays',
    params: sourceParam.shape,
    returns: 'Forgotten',
    run: ({ tx, caller }, { name }) => forgetSource(tx, caller, name),
  }),
  /** In the order of their names. */
  entities: knowledge.read('/api/knowledge/entities', {
    summary: 'List entities by their names',
    input: entityListQuerySchema,
    output: entityPageSchema,
    returns: 'A page of entities',
    run: ({ tx, pages, caller }, _, filter) => listEntities(tx, pages, caller, filter),
  }),
}

/** What a scope knows of things and how they hang together. */
export type Knowledge = Calls<typeof knowledgeOperations>
