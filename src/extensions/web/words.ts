/** What the web brings into what crosses the wire. */
export const webWords = { groups: { web: true } } as const
