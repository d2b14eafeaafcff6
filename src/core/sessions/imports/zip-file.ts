import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { invalidRequest, ParleyError, quote } from '../../protocol/error.ts'
import type { ImportLimits } from '../../protocol/import-limits.ts'

/** A file of an archive. Its name is only compared, never used as a path: nothing is unpacked to disk. */
export interface ArchivedFile {
  name: string
  bytes: number
  open(): AsyncIterable<Buffer>
  /** Whole; refuses what is larger than that. */
  read(maxBytes: number): Promise<Buffer>
}

type Limits = Pick<ImportLimits, 'entries' | 'unpackedBytes'>

/** The files of an archive. All that is read out of it together is limited, whatever sizes it states. */
export async function openZip(fd: number, limits: Limits): Promise<ArchivedFile[]> {
  try {
    const zip = await fromFdPromise(fd, { autoClose: false, lazyEntries: true })
    if (zip.entryCount > limits.entries) throw tooMany(limits.entries)
    return await listFiles(zip, limits)
  } catch (error) {
    throw toRefusal(error)
  }
}

async function listFiles(zip: ZipFile, { entries, unpackedBytes }: Limits): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = []
  const budget = { left: unpackedBytes, unpackedBytes }
  for await (const entry of zip.eachEntry()) {
    if (files.length === entries) throw tooMany(entries)
    if (entry.fileName.endsWith('/') || isOfMac(entry.fileName)) continue
    files.push(toFile(zip, entry, budget))
  }
  return files
}

/** What macOS adds beside each file. */
const isOfMac = (name: string) => /(^|\/)(__MACOSX\/|\._|\.DS_Store$)/.test(name)

interface Budget {
  left: number
  unpackedBytes: number
}

function toFile(zip: ZipFile, entry: Entry, budget: Budget): ArchivedFile {
  const { fileName: name, uncompressedSize: bytes } = entry
  async function* open(): AsyncGenerator<Buffer> {
    if (entry.isEncrypted()) throw invalidRequest(`The file ${quote(name)} of the archive is encrypted.`)
    try {
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        const piece = chunk as Buffer
        budget.left -= piece.length
        if (budget.left < 0)
          throw new ParleyError(
            'payload_too_large',
            `The archive unpacks to more than ${budget.unpackedBytes} bytes (imports.unpackedBytes).`,
          )
        yield piece
      }
    } catch (error) {
      throw toRefusal(error, name)
    }
  }
  return {
    name,
    bytes,
    open,
    async read(maxBytes) {
      const pieces: Buffer[] = []
      let size = 0
      for await (const piece of open()) {
        size += piece.length
        if (size > maxBytes)
          throw new ParleyError(
            'payload_too_large',
            `The file ${quote(name)} is larger than ${maxBytes} bytes.`,
          )
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    },
  }
}

const tooMany = (entries: number) =>
  new ParleyError('payload_too_large', `The archive holds more than ${entries} files (imports.entries).`)

/** Whatever is wrong with the archive is wrong with what was given; the library says what in a sentence. */
function toRefusal(error: unknown, name?: string): unknown {
  if (error instanceof ParleyError || !(error instanceof Error)) return error
  const { code } = error as { code?: string }
  // of the disk, not of the archive
  if (code !== undefined && /^E[A-Z]+$/.test(code)) return error
  const where = name === undefined ? '' : ` at ${quote(name)}`
  return invalidRequest(`The archive cannot be read${where}: ${error.message.slice(0, 200)}.`)
}
