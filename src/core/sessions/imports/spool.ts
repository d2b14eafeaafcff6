import { closeSync, openSync, rmSync, write } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ParleyError } from '../../protocol/error.ts'

export interface Spooled extends Disposable {
  fd: number
}

const writeAt = promisify(write) as unknown as (
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesWritten: number }>

/**
 * Keeps what is sent in a file without a name, so that it can be read from any place: an archive has its directory at its
 * end. The name is removed at once, so that nothing stays behind however the process ends; where a system cannot do that,
 * it is removed at last.
 */
export async function spool(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Spooled> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-import-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const fd = openSync(join(folder, 'file'), 'wx+', 0o600)
  const end = () => {
    closeSync(fd)
    remove()
  }
  try {
    tryToRemove(remove)
    let size = 0
    for await (const piece of pieces) {
      if (size + piece.length > maxBytes) throw tooLarge(maxBytes)
      for (let at = 0; at < piece.length;) {
        const { bytesWritten } = await writeAt(fd, piece, at, piece.length - at, size + at)
        at += bytesWritten
      }
      size += piece.length
    }
    return { fd, [Symbol.dispose]: end }
  } catch (error) {
    end()
    throw error
  }
}

export const tooLarge = (maxBytes: number) =>
  new ParleyError('payload_too_large', `The file is larger than ${maxBytes} bytes (imports.fileBytes).`)

function tryToRemove(remove: () => void): void {
  try {
    remove()
  } catch {
    // an open file cannot be removed on Windows
  }
}
