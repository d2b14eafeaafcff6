import { z } from 'zod'
import {
  idSchema,
  labelSchema,
  scopeSchema,
  timestampSchema,
  wholeNumber,
  pageFields,
  pageQuerySchema,
} from '../../../core/protocol/names.ts'
import { named } from '../../../core/protocol/wordings.ts'

/** What a setting can raise the limit of a content to. */
export const maxContentBytes = 10 * 1024 * 1024

export const titleSchema = labelSchema.min(1)
export const folderSchema = labelSchema
  .regex(
    /^(?:[^/]+(?:\/[^/]+)*)?$/,
    named('folder', 'must be names with "/" between them, such as "plans/2027"'),
  )
  .meta({ description: 'Where it is shown; empty is the top', example: 'plans/2027' })
const contentSchema = z.string().max(maxContentBytes)
const versionSchema = z.int().positive()
const fenceSchema = z
  .int()
  .positive()
  .meta({ description: 'Of the lock that the writer took; refused when somebody took it since' })

export const documentSummarySchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    title: z.string(),
    folder: z.string(),
    version: versionSchema.meta({ description: 'The newest one; numbers only rise' }),
    bytes: z.int().nonnegative().meta({ description: 'Of the content, in UTF-8' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'DocumentSummary' })
export type DocumentSummary = z.infer<typeof documentSummarySchema>

export const documentSchema = documentSummarySchema.extend({ content: z.string() }).meta({ id: 'Document' })
export type Document = z.infer<typeof documentSchema>

export const createDocumentSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    title: titleSchema,
    folder: folderSchema.optional(),
    content: contentSchema.optional().meta({ description: 'Default empty' }),
  })
  .meta({ id: 'CreateDocument' })
export type CreateDocument = z.infer<typeof createDocumentSchema>

export const updateDocumentSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    title: titleSchema.optional(),
    folder: folderSchema.optional(),
    content: contentSchema.optional(),
    ifVersion: versionSchema.optional().meta({ description: 'Refused when it is not the newest any more' }),
    fence: fenceSchema.optional(),
  })
  .meta({ id: 'UpdateDocument' })
export type UpdateDocument = z.infer<typeof updateDocumentSchema>

export const documentQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  version: wholeNumber(1).optional().meta({ description: 'The content as it was; default the newest' }),
})

export const documentListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  folder: folderSchema.optional().meta({ description: 'Only what lies in it, or in a folder of it' }),
  ...pageFields,
})
export type DocumentListQuery = z.infer<typeof documentListQuerySchema>

export const documentPageSchema = z
  .object({ items: z.array(documentSummarySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'DocumentPage' })
export type DocumentPage = z.infer<typeof documentPageSchema>

export const documentVersionSchema = z
  .object({
    version: versionSchema,
    title: z.string(),
    bytes: z.int().nonnegative(),
    author: z.object({ type: z.enum(['user', 'agent', 'system']), id: z.string() }),
    sessionId: idSchema.optional(),
    createdAt: timestampSchema,
  })
  .meta({ id: 'DocumentVersion' })
export type DocumentVersion = z.infer<typeof documentVersionSchema>

export const documentVersionPageSchema = z
  .object({ items: z.array(documentVersionSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'DocumentVersionPage' })
export type DocumentVersionPage = z.infer<typeof documentVersionPageSchema>

export const versionListQuerySchema = pageQuerySchema
export type VersionListQuery = z.infer<typeof versionListQuerySchema>

export const diffQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  from: wholeNumber(1).optional().meta({ description: 'Default: the one before "to"' }),
  to: wholeNumber(1).optional().meta({ description: 'Default: the newest' }),
})
export type DiffQuery = z.infer<typeof diffQuerySchema>

export const documentDiffSchema = z
  .object({
    from: z.int().nonnegative(),
    to: versionSchema,
    added: z.int().nonnegative().meta({ description: 'Lines' }),
    removed: z.int().nonnegative().meta({ description: 'Lines' }),
    lines: z.array(
      z.object({
        change: z.enum(['added', 'removed']),
        line: z
          .int()
          .positive()
          .meta({ description: 'Its number: in "to" when added, in "from" when removed' }),
        text: z.string(),
      }),
    ),
    isCut: z.boolean().meta({ description: 'There are more lines than are shown' }),
  })
  .meta({ id: 'DocumentDiff' })
export type DocumentDiff = z.infer<typeof documentDiffSchema>

export const restoreDocumentSchema = z
  .strictObject({ scope: scopeSchema.optional(), version: versionSchema, fence: fenceSchema.optional() })
  .meta({ id: 'RestoreDocument' })
export type RestoreDocument = z.infer<typeof restoreDocumentSchema>

declare module '../../../core/protocol/facets.ts' {
  interface Wordings {
    folder: true
  }
}
