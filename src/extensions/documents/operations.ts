import {
  createDocumentSchema,
  diffQuerySchema,
  documentDiffSchema,
  documentListQuerySchema,
  documentPageSchema,
  documentQuerySchema,
  documentSchema,
  documentVersionPageSchema,
  restoreDocumentSchema,
  updateDocumentSchema,
  versionListQuerySchema,
} from './protocol/document.ts'
import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import type { DocumentLimits } from './document-caller.ts'
import {
  createDocument,
  deleteDocument,
  diffVersions,
  getDocument,
  listDocuments,
  listVersions,
  restoreVersion,
  updateDocument,
} from './documents.ts'

const { read, write, remove } = operationsOf<DocumentLimits>('scope documents')

export const documentOperations = {
  create: write('POST', '/api/documents', {
    summary: 'Create a document',
    body: 'large',
    input: createDocumentSchema,
    output: documentSchema,
    status: 201,
    returns: 'The document',
    run: ({ tx, deps, caller }, _, input) => createDocument(deps, tx, caller, input),
  }),
  /** What was changed last comes first; without the contents. */
  list: read('/api/documents', {
    summary: 'List documents without their contents, last changed first',
    input: documentListQuerySchema,
    output: documentPageSchema,
    returns: 'A page of documents',
    run: ({ tx, pages, caller }, _, filter) => listDocuments(tx, pages, caller, filter),
  }),
  get: read('/api/documents/{id}', {
    summary: 'Get a document, as it is or an earlier version',
    input: documentQuerySchema,
    output: documentSchema,
    returns: 'The document',
    run: ({ tx, caller }, { id }, { version }) => getDocument(tx, caller, id, version),
  }),
  /** A content that is the same makes no new version. */
  update: write('PATCH', '/api/documents/{id}', {
    summary: 'Write, rename or move a document; another content is a new version',
    body: 'large',
    input: updateDocumentSchema,
    output: documentSchema,
    returns: 'The document as it is now',
    run: ({ tx, deps, caller }, { id }, patch) => updateDocument(deps, tx, caller, id, patch),
  }),
  delete: remove('/api/documents/{id}', {
    summary: 'Delete a document',
    returns: 'It is deleted',
    run: ({ tx, caller }, { id }) => deleteDocument(tx, caller, id),
  }),
  /** Newest first. */
  versions: read('/api/documents/{id}/versions', {
    summary: 'List the versions of a document, newest first',
    input: versionListQuerySchema,
    output: documentVersionPageSchema,
    returns: 'A page of versions',
    run: ({ tx, pages, caller }, { id }, page) => listVersions(tx, pages, caller, id, page),
  }),
  diff: read('/api/documents/{id}/diff', {
    summary: 'Get the lines that were added and removed between two versions',
    input: diffQuerySchema,
    output: documentDiffSchema,
    returns: 'The lines and how many',
    run: ({ tx, caller }, { id }, range) => diffVersions(tx, caller, id, range),
  }),
  /** Writes an older content as a new version. */
  restore: write('POST', '/api/documents/{id}/restore', {
    summary: 'Save an older version again, as the newest',
    input: restoreDocumentSchema,
    output: documentSchema,
    returns: 'The document as it is now',
    run: ({ tx, deps, caller }, { id }, input) => restoreVersion(deps, tx, caller, id, input),
  }),
}

/** Texts of a scope with their versions. */
export type Documents = Calls<typeof documentOperations>
