import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const file = JSON.stringify(join(import.meta.dirname, 'return-memory.ts'))

/** Fills the heap of a process, forgets it all, and ends when the heap is small again; or after so many looks. */
const program = (isBusy: boolean) => `
  const { returnMemoryWhenIdle } = await import(${file})
  let held = Array.from({ length: 400_000 }, (_, index) => ({ index, text: 'x'.repeat(50) + index }))
  const full = process.memoryUsage().heapTotal
  held = undefined
  const everyMs = 20
  const memory = returnMemoryWhenIdle({ everyMs, busyShare: ${isBusy ? -1 : 0.9} })
  let looks = 0
  const timer = setInterval(() => {
    const isSmall = process.memoryUsage().heapTotal < full / 2
    if (!isSmall && ${isBusy ? '++looks < 20' : 'true'}) return
    clearInterval(timer)
    memory[Symbol.dispose]()
    console.log(isSmall ? 'returned' : 'kept')
  }, everyMs)
`

it.each([
  ['gives memory back while the process is idle', false, 'returned'],
  ['leaves a process alone that is busy', true, 'kept'],
])('%s', async (_, isBusy, printed) => {
  const args = ['--input-type=module', '-e', program(isBusy)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout.trim()).toBe(printed)
})
