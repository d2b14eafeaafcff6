import { createHash } from 'node:crypto'

// a single character can become eighteen; an index takes no more than some 2,700 bytes
const maxKey = 400

/** What two names have in common that mean the same: case, width and the number of blanks do not matter. */
export const toKey = (name: string): string =>
  name.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ').slice(0, maxKey).toWellFormed()

/** Ids are made of what they stand for: the same things in another order have the same ids. */
export const entityIdOf = (scope: string, key: string): string => toId('ent', [scope, key])
export const sourceIdOf = (scope: string, name: string): string => toId('kns', [scope, name])
export const relationIdOf = (
  sourceId: string,
  subjectId: string,
  predicate: string,
  objectId: string,
): string => toId('rel', [sourceId, subjectId, toKey(predicate), objectId])

const toId = (prefix: string, parts: string[]) =>
  `${prefix}_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 26)}`
