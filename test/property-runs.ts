/** How often a property is tried; a release tries each many more times. */
export const propertyRuns = (count: number): number =>
  Math.ceil(count * Number(process.env.PARLEY_TEST_PROPERTY_FACTOR ?? 1))
