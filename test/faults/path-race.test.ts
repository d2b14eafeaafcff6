import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createFileTool } from '../../src/extensions/files/file-tool.ts'

// of each kind; the check-then-open way fails some 16 of 1,000
const operations = Number(process.env.PARLEY_TEST_SWAPS ?? 1_500)
const atOnce = 8

it('stays inside while another process swaps folders and files for links', { timeout: 600_000 }, async () => {
  const { root, secret } = arrange()
  const swapper = spawn(process.execPath, ['-e', swap, root, secret], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void swapper.kill('SIGKILL'))
  await once(swapper.stdout, 'data')
  const tool = createFileTool()
  const context = {
    scope: 'default',
    sessionId: 'ses_1',
    runId: 'run_1',
    toolCallId: 'call_1',
    workspaces: { main: root, granted: [] },
    signal: new AbortController().signal,
  }
  const seen = { done: 0, outside: 0, other: 0, escapes: 0 }
  const attempt = async (input: object) => {
    try {
      const output = await tool.execute(input, context)
      seen.done++
      if (JSON.stringify(output).includes('SECRET')) seen.escapes++
    } catch (error) {
      if ((error as Error).message.startsWith('OUT_OF_BOUNDS')) seen.outside++
      else seen.other++
    }
  }
  const paths = ['sub/f', 'flip', 'sub/deep/f']
  let started = 0
  const work = async () => {
    // until both sides of the swap were met, or nothing was tried
    while (started < operations || seen.outside === 0 || seen.done <= operations / 20) {
      const number = started++
      const path = paths[number % paths.length]!
      await attempt({ action: 'read', path })
      await attempt(changes(number, path))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  swapper.kill('SIGKILL')
  await once(swapper, 'exit')

  expect(seen.escapes).toBe(0)
  expect(readdirSync(secret).sort()).toEqual(['deep', 'f'])
  expect(readdirSync(join(secret, 'deep'))).toEqual(['f'])
  for (const path of ['f', 'deep/f']) expect(readFileSync(join(secret, path), 'utf8')).toBe('SECRET')
  expect(seen.done + seen.outside + seen.other).toBe(2 * started)
})

/** Mostly writes; now and then what is there is moved or deleted. */
function changes(number: number, path: string): object {
  if (number % 50 === 7) return { action: 'delete', path }
  if (number % 50 === 23) return { action: 'move', path, to: `taken-${number % 10}`, overwrite: true }
  if (number % 50 === 31) return { action: 'move', path: `taken-${number % 10}`, to: path, overwrite: true }
  return { action: 'write', path, content: `inside ${number}` }
}

/** In memory where there is such a place: it is about the order of things, not about the disk. */
function arrange() {
  const folder = realpathSync(
    mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'parley-race-')),
  )
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [root, secret] = [join(folder, 'root'), join(folder, 'secret')]
  for (const [place, text] of [
    [join(root, 'sub'), 'inside'],
    [secret, 'SECRET'],
  ] as const) {
    mkdirSync(join(place, 'deep'), { recursive: true })
    for (const path of ['f', 'deep/f']) writeFileSync(join(place, path), text)
  }
  writeFileSync(join(root, 'flip'), 'inside')
  return { root, secret }
}

/** The tool makes folders and files in the gaps; what it made is cleared away, and the swapping goes on. */
const swap = `
  const fs = require('node:fs')
  const [root, secret] = process.argv.slice(1)
  const [sub, flip, next] = [root + '/sub', root + '/flip', root + '/next']
  const real = sub + '.real'
  const attempt = (work) => { try { work() } catch {} }
  console.log('started')
  for (;;) {
    attempt(() => fs.renameSync(sub, real))
    attempt(() => fs.symlinkSync(secret, sub))
    attempt(() => { fs.symlinkSync(secret + '/f', next); fs.renameSync(next, flip) })
    attempt(() => fs.unlinkSync(sub))
    attempt(() => fs.renameSync(real, sub))
    attempt(() => { fs.writeFileSync(next, 'inside'); fs.renameSync(next, flip) })
    if (fs.existsSync(real)) attempt(() => fs.rmSync(real, { recursive: true, force: true }))
  }`
