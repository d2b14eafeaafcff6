import { takeSeed } from './seed.ts'

/** How fast-check tries a property: how often, a release many more times, and from which seed. */
export const tries = (count: number): { numRuns: number; seed: number } => ({
  numRuns: Math.ceil(count * Number(process.env.PARLEY_TEST_PROPERTY_FACTOR ?? 1)),
  seed: takeSeed(),
})
