import type { Attachment } from './attachments.ts'

/** Keeps files of messages that are not sent; `localStorage`, which keeps the words, has no room for them. */
export interface FileStore {
  read(key: string): Promise<readonly Attachment[]>
  /** In place of those that were there. */
  write(key: string, files: readonly Attachment[]): Promise<void>
}

const table = 'files'

/** In the browser's database. It is opened when it is first used, and a browser without one refuses each use. */
export function createFileStore(name = 'parley-unsent'): FileStore {
  let opened: Promise<IDBDatabase> | undefined
  const open = () => {
    const request = indexedDB.open(name, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(table))
    return settled(request)
  }
  const inTable = async (mode: IDBTransactionMode) => {
    const database = await (opened ??= open())
    return database.transaction(table, mode).objectStore(table)
  }
  return {
    async read(key) {
      const found: unknown = await settled((await inTable('readonly')).get(key))
      return Array.isArray(found) ? found : []
    },
    async write(key, files) {
      const store = await inTable('readwrite')
      if (files.length === 0) await settled(store.delete(key))
      else await settled(store.put([...files], key))
    },
  }
}

const settled = <Result>(request: IDBRequest<Result>) =>
  new Promise<Result>((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
