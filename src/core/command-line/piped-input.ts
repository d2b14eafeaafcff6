import { fstatSync } from 'node:fs'
import { decodeText } from '../files/decode-text.ts'
import { invalidRequest } from '../protocol/error.ts'
import { printProgress } from './output.ts'
import { describeSystemError, isSystemError } from './system-error.ts'

/** As the body of a chat takes it. */
export interface PipedFile {
  mediaType: string
  filename: string
  url: string
}

// no model reads as much
export const maxPipedBytes = 16 * 2 ** 20
const patienceMs = 3_000

// what models read beside text, by how it begins
const known: [mediaType: string, start: RegExp][] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF....WEBP/s],
  ['application/pdf', /^%PDF-/],
]

/** Standard input as a file for the model; undefined at a terminal, and where nothing came. */
export async function readPipedFile(): Promise<PipedFile | undefined> {
  if (process.stdin.isTTY) return undefined
  const content = await readAll()
  const start = content.toString('latin1', 0, 16)
  const [found] = known.find(([, pattern]) => pattern.test(start)) ?? []
  const mediaType = found ?? 'text/plain'
  if (!found) {
    const text = decodeText(content)
    if (text === undefined)
      throw invalidRequest('Standard input is neither text nor an image (PNG, JPEG, GIF, WEBP) nor a PDF.')
    if (text.trim() === '') return undefined
  }
  return { mediaType, filename: 'stdin', url: `data:${mediaType};base64,${content.toString('base64')}` }
}

/** Standard input as text, such as a prompt. */
export async function readPipedText(): Promise<string> {
  const text = decodeText(await readAll())
  if (text === undefined) throw invalidRequest('Standard input is not text.')
  return text
}

/**
 * A pipe is read to its end, however long that takes. A socket is what another program has connected that perhaps never
 * meant to write anything: when nothing comes, there is no input.
 */
async function readAll(): Promise<Buffer> {
  const { stdin } = process
  const chunks: Buffer[] = []
  let bytes = 0
  let isGivenUp = false
  const timer = setTimeout(() => {
    if (bytes > 0) return
    isGivenUp = isSocket(stdin.fd)
    printProgress(
      isGivenUp
        ? 'nothing came on standard input; it is left out'
        : 'waiting for the end of standard input ("< /dev/null" leaves it out)',
    )
    if (isGivenUp) stdin.destroy()
  }, patienceMs)
  try {
    for await (const chunk of stdin) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > maxPipedBytes)
        throw invalidRequest(`Standard input has more than ${maxPipedBytes} bytes, the most that is read.`)
    }
  } catch (error) {
    if (isSystemError(error))
      throw invalidRequest(`Standard input cannot be read: ${describeSystemError(error).message}`)
    if (!isGivenUp) throw error
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
}

/** Node connects its children by sockets; a shell connects what it runs by pipes. */
function isSocket(fd: number | undefined): boolean {
  try {
    return fd !== undefined && fstatSync(fd).isSocket()
  } catch {
    // it is closed
    return false
  }
}
