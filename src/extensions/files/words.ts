/** What files bring into what crosses the wire. */
export const fileWords = { groups: { workspace: true } } as const
