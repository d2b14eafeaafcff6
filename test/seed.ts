import { relative } from 'node:path'
import { expect, onTestFailed } from 'vitest'

/** Of everything random in this process: another one each time, or the one that PARLEY_TEST_SEED names. */
const seed = Number(process.env.PARLEY_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
const hasOwnCount = /^PARLEY_TEST_(?!SEED$|POSTGRES_URL$)/
const announced = new Set<string>()

/** For a generator of random values; a test that fails after it asked for it prints the line that repeats it. */
export function takeSeed(): number {
  const { testPath = '', currentTestName = '' } = expect.getState()
  const test = `${testPath} ${currentTestName}`
  if (announced.has(test)) return seed
  announced.add(test)
  // as many as here, or it might end before it comes to what failed
  const counts = Object.entries(process.env).flatMap(([name, value]) =>
    hasOwnCount.test(name) ? `${name}=${value} ` : [],
  )
  const file = relative(process.cwd(), testPath)
  onTestFailed(() => {
    process.stderr.write(
      `${currentTestName}\n  again: PARLEY_TEST_SEED=${seed} ${counts.join('')}npm test -- ${file}\n`,
    )
  })
  return seed
}

/** Numbers from 0 to 1, in the same order for the same seed. */
export function createRandom(): () => number {
  let state = takeSeed()
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
