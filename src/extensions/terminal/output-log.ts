import { mkdir, open, realpath, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** A file with all that a command wrote, as far as the limit goes. */
export interface OutputLog {
  /** From the session's workspace on. */
  readonly path: string
  write(text: string): Promise<void>
  close(): Promise<void>
}

// ids of calls come from models: one may be used again
const maxSameNames = 1_000

/** Makes `terminal/<call>.log` in the workspace; undefined when that is not possible there. */
export async function openOutputLog(
  workspace: string | undefined,
  toolCallId: string,
  maxBytes: number,
): Promise<OutputLog | undefined> {
  if (workspace === undefined) return undefined
  const folder = join(workspace, 'terminal')
  const name = toolCallId.replaceAll(/[^\w-]/g, '_').slice(0, 100)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // a link would lead the file elsewhere
    if ((await realpath(folder)) !== folder) return undefined
    for (let number = 1; number <= maxSameNames; number++) {
      const file = number === 1 ? `${name}.log` : `${name}-${number}.log`
      const handle = await create(join(folder, file))
      if (handle) return toLog(handle, `terminal/${file}`, maxBytes)
    }
  } catch {
    // a full disk, say: the command matters more than its log
  }
  return undefined
}

async function create(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

function toLog(handle: FileHandle, path: string, maxBytes: number): OutputLog {
  let bytesLeft = maxBytes
  return {
    path,
    async write(text) {
      if (bytesLeft <= 0) return
      const bytes = Buffer.from(text).subarray(0, bytesLeft)
      bytesLeft -= bytes.length
      try {
        await handle.appendFile(bytes)
        if (bytesLeft <= 0) await handle.appendFile(`\n… no more than ${maxBytes} bytes are kept …\n`)
      } catch {
        bytesLeft = 0 // the disk is full: what is there has to do
      }
    },
    close: () => handle.close(),
  }
}
