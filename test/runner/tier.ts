import { it } from 'vitest'

/** Which of `npm test`, `npm run test:quick` and `npm run test:long` this is. */
export const testTier = (process.env.PARLEY_TEST_TIER ?? 'usual') as 'quick' | 'usual' | 'long'

/**
 * Some of the variants that are tried at each of many places, others at each place, so that all of them are tried
 * somewhere; in the long tier all of them everywhere. `turn` is the number of the place.
 */
export const someOf = <Item>(variants: Item[], turn: number, everyNth = 4): Item[] =>
  testTier === 'long' ? variants : variants.filter((_, index) => (index + turn) % everyNth === 0)

/**
 * A test of what others show too, in another place or another way. It is declared in the long tier only: elsewhere it
 * is not even counted as skipped.
 */
export const itInLongTier: (name: string, test: () => unknown) => void = testTier === 'long' ? it : () => {}
