/** Which of `npm test`, `npm run test:quick` and `npm run test:long` this is. */
export const testTier = (process.env.PARLEY_TEST_TIER ?? 'usual') as 'quick' | 'usual' | 'long'
