import type { ImportLimits } from '../../protocol/import-limits.ts'
import { openFile } from './open-file.ts'
import { recogniseFile, unknownFile } from './recognise.ts'

/**
 * Whether a file is one for `importFile`: an archive, an export of another program, several sessions of Parley. All others
 * are texts of one session or a few, which are read in one go. Refuses what is JSON and neither.
 */
export async function isWholeExport(fd: number, limits: ImportLimits): Promise<boolean> {
  const { files, isArchive } = await openFile(fd, limits)
  if (isArchive) return true
  const format = await recogniseFile(files[0]!, limits)
  if (format.kind === 'unknown' && format.isJson)
    throw unknownFile(`The file is not a known export: ${format.seen}.`)
  return format.kind === 'source' || format.kind === 'lines'
}
