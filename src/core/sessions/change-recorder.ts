import { dirname, join } from 'node:path'
import { listConfined, readConfined } from '../files/confined-file.ts'
import type { Location } from '../files/workspaces.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'

// what is larger is named in the rollback as not brought back
const maxBytes = 10 * 1024 * 1024

/** Keeps things as they were before a turn changed them, in the store: a restart forgets nothing. */
export function createChangeRecorder(
  store: StoreOperations,
  { id: sessionId }: Pick<Session, 'id'>,
  messageSeq: number,
) {
  const kept = new Set<string>()

  return {
    /** Kept with the change or not at all; that it was kept before in this turn is seen by the store. */
    async keep(tx: StoreOperations, kind: string, name: string, found: unknown): Promise<void> {
      const content = found === undefined ? undefined : JSON.stringify(found)
      await tx.keepSnapshot(sessionId, { messageSeq, kind, name, content, detail: {} })
    },

    async keepFile({ root, path }: Location): Promise<void> {
      const name = join(root, path)
      if (kept.has(name)) return
      const file = await readConfined(root, path, maxBytes)
      // a folder is made and taken away with the files in it
      if (file === 'folder') return
      const base = { messageSeq, kind: 'file', name, detail: { root, path } }
      if (file === 'absent') {
        const folders = await missingFolders(root, path)
        await store.keepSnapshot(sessionId, { ...base, detail: { root, path, folders } })
      } else if (typeof file === 'string' || file.isCut) {
        const reason = typeof file === 'string' ? file : 'too large'
        await store.keepSnapshot(sessionId, { ...base, detail: { root, path, lost: reason } })
      } else {
        const mode = Number(file.stats.mode) & 0o777
        const content = file.content.toString('base64')
        await store.keepSnapshot(sessionId, { ...base, content, detail: { root, path, mode } })
      }
      kept.add(name)
    },
  }
}

/** Those on the way that will be made with the file, the innermost first. */
async function missingFolders(root: string, path: string): Promise<string[]> {
  const missing: string[] = []
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if ((await listConfined(root, folder, 0)) !== 'absent') break
    missing.push(folder)
  }
  return missing
}
