import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Program } from './process.ts'

/** What a program used since it started; on Linux also what it wrote. */
export interface Usage {
  cpuMs: number
  memoryMiB: number
  writtenBytes?: number
  writeCalls?: number
}

export function usageOf({ child: { pid } }: Program): Usage {
  if (process.platform !== 'linux') {
    const [rss, time] = execFileSync('ps', ['-o', 'rss=,time=', '-p', `${pid}`], { encoding: 'utf8' })
      .trim()
      .split(/ +/)
    const seconds = time!.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
    return { cpuMs: seconds * 1_000, memoryMiB: Number(rss) / 1_024 }
  }
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const field = (text: string, name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)![1])
  // in nanoseconds; what the process itself reports comes in hundredths of a second
  const threads = readdirSync(`/proc/${pid}/task`).map((id) =>
    Number.parseInt(read(`task/${id}/schedstat`), 10),
  )
  const io = read('io')
  return {
    cpuMs: threads.reduce((sum, time) => sum + time, 0) / 1e6,
    memoryMiB: field(read('status'), 'VmRSS') / 1_024,
    writtenBytes: field(io, 'write_bytes'),
    writeCalls: field(io, 'syscw'),
  }
}

/** Of a folder with databases of SQLite, also of those that are in use, once nothing is left in their logs. */
export function bytesOnDisk(folder: string): number {
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  for (const log of files().filter((file) => file.endsWith('-wal'))) {
    const database = new DatabaseSync(log.slice(0, -'-wal'.length), { timeout: 5_000 })
    const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
    database.close()
    if (busy) throw new Error(`The log of ${log} is in use.`)
  }
  return files().reduce((sum, file) => sum + statSync(file).size, 0)
}
