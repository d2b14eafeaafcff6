import { fstatSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { ParleyError } from '../../protocol/error.ts'
import { createAssets, type Assets } from './assets.ts'
import type { ImportLimits } from '../../protocol/import-limits.ts'
import { openZip, type ArchivedFile } from './zip-file.ts'

/** A file that was given, or one of the archive that was given. */
export interface SourceFile {
  /** Empty for the file itself. */
  name: string
  bytes: number
  open(): AsyncIterable<Buffer>
}

export interface OpenedFile {
  files: SourceFile[]
  isArchive: boolean
  assets: Assets
}

/** Reads from the descriptor by position: nothing is unpacked, and several can read at once. */
export async function openFile(fd: number, limits: ImportLimits): Promise<OpenedFile> {
  const { size } = fstatSync(fd)
  if (size > limits.fileBytes)
    throw new ParleyError(
      'payload_too_large',
      `The file is larger than ${limits.fileBytes} bytes (imports.fileBytes).`,
    )
  if (!isZip(fd)) {
    return {
      files: [{ name: '', bytes: size, open: () => readPieces(fd) }],
      isArchive: false,
      assets: createAssets([]),
    }
  }
  const files = await openZip(fd, limits)
  return { files: files.toSorted(byName), isArchive: true, assets: createAssets(files) }
}

const readAt = promisify(read) as unknown as (
  fd: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesRead: number }>

const pieceBytes = 65_536

/** A stream of a file would close the descriptor with whoever stops reading. */
async function* readPieces(fd: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const piece = Buffer.allocUnsafe(pieceBytes)
    const { bytesRead } = await readAt(fd, piece, 0, pieceBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

const byName = (a: ArchivedFile, b: ArchivedFile) => a.name.localeCompare(b.name, 'en', { numeric: true })

/** Of an archive, or of one without any files. */
function isZip(fd: number): boolean {
  const head = Buffer.alloc(4)
  const bytesRead = readSync(fd, head, 0, 4, 0)
  return bytesRead === 4 && ['PK\x03\x04', 'PK\x05\x06'].includes(head.toString('latin1'))
}
