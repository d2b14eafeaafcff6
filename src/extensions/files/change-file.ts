import { join, relative } from 'node:path'
import { isInside, requireUse } from '../../core/files/file-rules.ts'
import { deleteConfined, moveConfined, writeConfined } from '../../core/files/confined-write.ts'
import { findRealPath } from '../../core/files/real-path.ts'
import { refuseChange, type ChangeRefusal } from '../../core/files/file-refusal.ts'
import { shownPath, type Location } from '../../core/files/workspaces.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import type { ToolContext } from '../../core/tools/tool.ts'
import { editText, type Edit } from './edit-text.ts'
import { namePlace, requireDone } from './file-place.ts'
import { filesBelow } from './files-below.ts'
import { maxFileBytes, readContent } from './read-file.ts'

type Changing = Pick<ToolContext, 'changes' | 'signal'>

export async function writeFile(location: Location, content: string, context: Changing): Promise<object> {
  const isNew = await put(location, content, context)
  const bytes = Buffer.byteLength(content)
  return { ...namePlace(location), status: isNew ? 'created' : 'replaced', bytes }
}

/** All of the edits, or none. Line ends and a byte order mark stay as they are. */
export async function editFile(
  location: Location,
  edits: readonly Edit[],
  context: Changing,
): Promise<object> {
  const { content, isCut } = await readContent(location)
  const path = quote(shownPath(location))
  if (isCut) throw invalidRequest(`${path} is too large to be edited.`)
  const text = decodeExactly(content)
  if (text === undefined) throw invalidRequest(`${path} is not UTF-8 text; it cannot be edited.`)
  const isCrlf = text.includes('\r\n') && !/(^|[^\r])\n/.test(text)
  const edited = isCrlf
    ? await editText(toPlain(text), edits.map(toPlainEdit), maxFileBytes)
    : await editText(text, edits, maxFileBytes)
  await put(location, isCrlf ? edited.text.replaceAll('\n', '\r\n') : edited.text, context)
  return { ...namePlace(location), status: 'edited', changes: edited.changes }
}

/** Without `overwrites`, what is there already is left alone. */
export async function moveFile(
  from: Location,
  to: Location,
  overwrites: boolean,
  { changes, signal }: Changing,
): Promise<object> {
  const source = join(from.root, from.path)
  if (isInside(source, join(to.root, to.path)))
    throw invalidRequest(`${quote(shownPath(from))} cannot be moved into itself.`)
  const moving = (await filesBelow(from, 'move', signal)).map((below) => {
    const path = join(to.path, relative(from.path, below.location.path))
    return { ...below, target: { ...to, path } }
  })
  await requireTargets(
    to,
    moving.map(({ target }) => target),
  )
  for (const { location, target, isFolder } of moving) {
    if (isFolder) continue
    await changes?.keepFile(location)
    await changes?.keepFile(target)
  }
  signal.throwIfAborted()
  const moved = await moveConfined(from.root, from.path, to.root, to.path, {
    ...from,
    makesFolders: true,
    replaces: overwrites,
    forbidden: [...(from.forbidden ?? []), ...(to.forbidden ?? [])],
  })
  if (moved === 'folder')
    throw invalidRequest(`${quote(shownPath(to))} is a folder: say the whole new path, name included.`)
  const { isNew } = requireDone(moved, isAboutSource(moved) ? from : to)
  return { from: namePlace(from), to: namePlace(to), status: isNew ? 'moved' : 'moved and replaced' }
}

/** What is in a folder gets a new name with it, and that one counts as if it were written there by itself. */
async function requireTargets(to: Location, targets: readonly Location[]): Promise<void> {
  const real = await findRealPath(join(to.root, to.path))
  for (const target of targets) {
    const paths = [join(to.root, target.path), join(real, relative(to.path, target.path))]
    const refused = await refuseChange(() => requireUse(to, paths, 'write'))
    if (typeof refused === 'string') requireDone(refused, target)
  }
}

/** A folder to which something is added meanwhile is not deleted. */
export async function deleteFile(
  location: Location,
  isRecursive: boolean,
  { changes, signal }: Changing,
): Promise<object> {
  const below = await filesBelow(location, 'delete', signal)
  if (below.length > 1 && !isRecursive) requireDone('filled', location)
  for (const file of below) if (!file.isFolder) await changes?.keepFile(file.location)
  for (const { location: one } of below) {
    signal.throwIfAborted()
    requireDone(await deleteConfined(one.root, one.path, one), one)
  }
  return { ...namePlace(location), status: 'deleted', ...(below.length > 1 && { entries: below.length }) }
}

async function put(location: Location, content: string, { changes, signal }: Changing): Promise<boolean> {
  await changes?.keepFile(location)
  signal.throwIfAborted()
  const { root, path } = location
  const written = await writeConfined(root, path, Buffer.from(content), { ...location, makesFolders: true })
  return requireDone(written, location).isNew
}

/** Undefined where writing it back would change bytes that nobody touched. */
function decodeExactly(content: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined // the decoder says no more than that
  }
}

const toPlain = (text: string) => text.replaceAll('\r\n', '\n')
const toPlainEdit = (edit: Edit): Edit => ({ ...edit, old: toPlain(edit.old), new: toPlain(edit.new) })

const isAboutSource = (moved: object | ChangeRefusal) =>
  moved === 'absent' || moved === 'linked' || moved === 'special' || moved === 'other-device'
