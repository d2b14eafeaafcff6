type Metadata = Record<string, unknown>

/** What is not named stays, so that one who knows some of it loses nothing else; null takes a key away. */
export const mergeMetadata = (before: Metadata, patch: Metadata): Metadata =>
  Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null))
