/** Files that other programs run and that a command created or changed, as a model and a person see them. */

// as many as anybody reads
const maxNamed = 20
const keptOfPath = 250

export const changesNotice =
  'Files that other programs run, or take settings from, were made or changed meanwhile ("changedFiles"). Tell the person ' +
  'which, and why, before anybody runs something there.'

export interface ChangedFiles {
  /** Paths; the last entry counts the rest, if there are more. */
  changedFiles?: string[]
}

export function describeChanges(paths: readonly string[]): ChangedFiles {
  if (paths.length === 0) return {}
  const more = paths.length - maxNamed
  const named = paths.slice(0, maxNamed).map(shorten)
  return { changedFiles: [...named, ...(more > 0 ? [`and ${more} more`] : [])] }
}

/** The first folders and the name matter most. */
const shorten = (path: string) =>
  path.length <= 2 * keptOfPath
    ? path
    : `${path.slice(0, keptOfPath)}…${path.slice(-keptOfPath)}`.toWellFormed()
