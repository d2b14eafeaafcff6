import { z } from 'zod'
import { maxContentBytes, titleSchema, type Document } from './protocol/document.ts'
import { invalidRequest } from '../../core/protocol/error.ts'
import type { Store } from '../../core/store/store.ts'
import { defineTool, type Access, type Tool, type ToolContext } from '../../core/tools/tool.ts'
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
import { applyEdits } from './apply-edits.ts'
import { keepDocument } from './undo-changes.ts'
import { callerOf, folderInput, idInput, idOfCall, oncePerCall, required } from './tool-call.ts'

const actions = ['list', 'read', 'create', 'update', 'delete', 'versions', 'diff', 'restore'] as const
const maxListed = 100
const pages = { pageSize: maxListed }
// what is longer is read in several calls
const maxRead = 50_000

const textSchema = z.string().max(maxContentBytes)
const inputSchema = z.strictObject({
  action: z.enum(actions),
  id: idInput.optional(),
  title: titleSchema.optional(),
  folder: folderInput.optional(),
  content: textSchema.optional(),
  edits: z
    .array(z.strictObject({ old: textSchema.min(1), new: textSchema }))
    .min(1)
    .max(100)
    .optional(),
  version: z.int().positive().optional(),
  from_line: z.int().positive().optional(),
  to_line: z.int().positive().optional(),
  from: z.int().positive().optional(),
  to: z.int().positive().optional(),
  limit: z.int().min(1).max(maxListed).optional(),
  cursor: z.string().max(500).optional(),
})
type Input = z.infer<typeof inputSchema>

const readers: readonly string[] = ['list', 'read', 'versions', 'diff']

/** Lets a model read and write the documents of its scope. */
export function createDocumentTool(store: Store, limits: DocumentLimits): Tool {
  return defineTool({
    name: 'document',
    group: 'document',
    offered: 'whole',
    description:
      'Documents of this workspace, with their versions. "list" (folder); "read" takes id, from_line and to_line for a part, or an ' +
      'older version; "create" title, content, folder; "update" id and the whole content, or edits [{old, new}] of texts that ' +
      'occur exactly once, all or none, or a new title or folder; "delete" and "versions" id; "diff" versions from and to; ' +
      '"restore" a version. An update checks the document out for this session: check it in with the tool lock when you are done.',
    input: inputSchema,
    // a call that is made again after a crash finds what the first one did
    isIdempotent: true,
    access: ({ action, id }): Access => ({
      action,
      effect: readers.includes(action) ? 'read' : 'write',
      resources: [`document:${id ?? (action === 'list' ? '*' : 'new')}`],
    }),
    execute: (input, context) => act(store, limits, input, context),
  })
}

async function act(store: Store, limits: DocumentLimits, input: Input, context: ToolContext) {
  const caller = callerOf(context)
  switch (input.action) {
    case 'list': {
      const { folder, limit = maxListed, cursor } = input
      return listDocuments(store, pages, caller, { folder, limit, cursor })
    }
    case 'read':
      return readLines(await getDocument(store, caller, required(input, 'id'), input.version), input)
    case 'versions': {
      const { limit = maxListed, cursor } = input
      return listVersions(store, pages, caller, required(input, 'id'), { limit, cursor })
    }
    case 'diff':
      return diffVersions(store, caller, required(input, 'id'), { from: input.from, to: input.to })
    default:
      return write(store, limits, input, context)
  }
}

async function write(store: Store, limits: DocumentLimits, input: Input, context: ToolContext) {
  const caller = callerOf(context)
  const { action, title, folder, content } = input
  if (action === 'create') {
    const id = idOfCall('doc', context)
    const created = { title: required(input, 'title'), folder, content }
    return oncePerCall(store, context, async (tx) => {
      await keepDocument(tx, context, id)
      return summarise(await createDocument(limits, tx, caller, created, id))
    })
  }
  const id = required(input, 'id')
  const patch = { title, folder, content: contentOf(input, limits) }
  return oncePerCall(store, context, async (tx) => {
    await keepDocument(tx, context, id)
    if (action === 'delete') {
      await deleteDocument(tx, caller, id)
      return { id, deleted: true }
    }
    return summarise(
      action === 'restore'
        ? await restoreVersion(limits, tx, caller, id, { version: required(input, 'version') })
        : await updateDocument(limits, tx, caller, id, patch),
    )
  })
}

function contentOf({ action, content, edits, title, folder }: Input, { maxBytes }: DocumentLimits) {
  if (content !== undefined && edits !== undefined)
    throw invalidRequest('Give the whole "content" or "edits", not both.')
  if (action === 'update' && [content, edits, title, folder].every((field) => field === undefined))
    throw invalidRequest('"update" needs "content", "edits", "title" or "folder".')
  return edits === undefined ? content : (before: string) => applyEdits(before, edits, maxBytes)
}

const summarise = ({ content: _content, scope: _scope, ...summary }: Document) => summary

function readLines({ content, ...document }: Document, { from_line = 1, to_line }: Input) {
  const lines = content.split('\n')
  if (to_line !== undefined && to_line < from_line)
    throw invalidRequest(`to_line ${to_line} is before from_line ${from_line}.`)
  if (from_line > lines.length) throw invalidRequest(`The document has ${lines.length} lines.`)
  let end = from_line - 1
  let length = 0
  const last = Math.min(to_line ?? lines.length, lines.length)
  // one line at least, else reading could not continue
  while (end < last && (end === from_line - 1 || length + lines[end]!.length < maxRead))
    length += lines[end++]!.length + 1
  const { id, title, folder, version } = document
  return {
    id,
    title,
    folder,
    version,
    lines: lines.length,
    from_line,
    to_line: end,
    ...(end < last && { more: `Read on with from_line ${end + 1}.` }),
    content: lines.slice(from_line - 1, end).join('\n'),
  }
}
