import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** For tests: a real folder with `root`, `user` and `home` in it, gone when the test ends. */
export function arrangeFiles(files: Record<string, string | Buffer> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-context-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const places = { root: join(folder, 'root'), userDir: join(folder, 'user'), home: join(folder, 'home') }
  mkdirSync(places.root)
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  /** The target is relative to the folder of the link, or absolute. */
  const link = (path: string, target: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(target, join(folder, path))
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  return { folder, places, write, link }
}

const pipeMaker = 'mkfifo'

/** For tests: a pipe that nobody writes to. */
export const makePipe = (path: string): Buffer => execFileSync(pipeMaker, [path])

/** For tests: as many empty files as fit a hostile folder. */
export function fillFolder(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < count; index++) writeFileSync(join(folder, `noise-${index}`), '')
}
