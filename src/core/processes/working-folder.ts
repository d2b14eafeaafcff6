import { isAbsolute, normalize } from 'node:path'
import { listConfined } from '../files/confined-file.ts'
import { locate, type Workspaces } from '../files/workspaces.ts'
import { quote } from '../protocol/error.ts'

export interface FolderInput {
  cwd?: string
  workspace?: string
}

/** The real path of the folder that a command starts in: within a workspace, links included. */
export async function requireFolder(
  workspaces: Workspaces,
  { cwd = '.', workspace }: FolderInput,
): Promise<string> {
  const location = locate(workspaces, cwd, workspace)
  if (!location && cwd === '.')
    throw new Error('This session has no folder to work in. Set the root of its scope.')
  const folder = location ? await listConfined(location.root, location.path, 1) : 'outside'
  if (typeof folder !== 'string') return folder.real
  throw new Error(
    folder === 'outside'
      ? `OUT_OF_BOUNDS: ${quote(cwd)} is in no workspace of this session. Use a folder within one.`
      : `${quote(cwd)} is not a folder that can be used. Use one that exists.`,
  )
}

/** A folder elsewhere, which somebody has to allow first. */
export const foldersOutside = (workspaces: Workspaces, { cwd, workspace }: FolderInput): string[] =>
  cwd !== undefined && isAbsolute(cwd) && !locate(workspaces, cwd, workspace) ? [normalize(cwd)] : []
