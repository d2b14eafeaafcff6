/** What somebody spoke of in a patch; a null in it is one that was meant. */
export const givenFields = <Fields>(patch: object): Partial<Fields> =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Fields>
