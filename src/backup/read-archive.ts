import { mkdir, realpath, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openFolder } from '../core/files/opened-folder.ts'
import { invalidRequest, ParleyError } from '../core/protocol/error.ts'
import { copyOpened, walkOpened, type Entry, type Kind } from './disk.ts'
import { isInnerLink, manifestName, workspacesName, type KeptFile, type Manifest } from './manifest.ts'

/**
 * Copies what a backup holds into a folder of ours. Nothing in a backup is trusted: it has exactly the files that its
 * manifest names, each as it was written, and links stay in the folder of their session. Only the copies are checked, so
 * it does not matter what becomes of the backup meanwhile.
 */
export async function copyArchive(
  source: string,
  draft: string,
  manifest: Manifest,
  isTrusted: boolean,
): Promise<void> {
  const outer = manifest.links.find((link) => !isInnerLink(link))
  if (outer && !(isTrusted && isDeep(outer.path)))
    throw refused(
      source,
      `${outer.path} is a link to ${JSON.stringify(outer.target)}, which leads out of its session`,
    )

  const missing = new Map(manifest.files.map((file) => [file.path, file]))
  try {
    await using folder = await openFolder(await realpath(source))
    for await (const entry of walkOpened(folder)) await copyEntry(source, draft, entry, missing)
    const [absent] = missing.keys()
    if (absent !== undefined) throw torn(source, `${absent} is missing`)
    for (const { path, target } of manifest.links) {
      await mkdir(dirname(join(draft, path)), { recursive: true, mode: 0o700 })
      await symlink(target, join(draft, path))
    }
  } catch (error) {
    const { code, path = '' } = error as NodeJS.ErrnoException
    if (error instanceof ParleyError || code === undefined || code === 'ENOSPC') throw error
    throw torn(source, `${path} cannot be copied (${code})`)
  }
}

async function copyEntry(
  source: string,
  draft: string,
  entry: Entry,
  missing: Map<string, KeptFile>,
): Promise<void> {
  const { path, kind, folder, name } = entry
  if (path === manifestName) return
  if (kind === 'folder') {
    if (path !== workspacesName && !path.startsWith(`${workspacesName}/`))
      throw refused(source, `${path} is a folder`)
    await mkdir(join(draft, path), { mode: 0o700 })
    return
  }
  if (kind !== 'file') throw refused(source, `${path} is ${kindNames[kind]}`)
  const expected = missing.get(path)
  if (!expected) throw refused(source, `${path} is not in its ${manifestName}`)
  const copy = await copyOpened(folder, name, join(draft, path))
  if (copy === 'not-a-file') throw refused(source, `${path} is not a file`)
  const { bytes, sha256 } = expected
  if (copy.bytes !== bytes) throw torn(source, `${path} has ${copy.bytes} bytes in place of ${bytes}`)
  if (copy.sha256 !== sha256) throw torn(source, `${path} is not what was written`)
  missing.delete(path)
}

const kindNames: Record<Exclude<Kind, 'file' | 'folder'>, string> = {
  link: 'a link',
  other: 'a pipe, a socket or a device',
}

/** In the folder of a session: `workspaces` and those folders themselves are never links. */
const isDeep = (path: string) => path.split('/').length > 2

const torn = (source: string, what: string) =>
  invalidRequest(`${source} is damaged: ${what}. Nothing was changed; use another backup.`)

const refused = (source: string, what: string) =>
  invalidRequest(`${source} is not what "parley backup" makes: ${what}. Nothing was changed.`)
