import { readFile } from 'node:fs/promises'
import { invalidRequest } from '../protocol/error.ts'

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** "-" is stdin. */
export const readText = (file: string): Promise<string> => (file === '-' ? readStdin() : readFileText(file))

export const readFileText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: Error) => {
    throw invalidRequest(`Cannot read ${file}: ${error.message}`)
  })
