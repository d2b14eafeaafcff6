import type { Session } from '../../protocol/session.ts'

/** One damaged row must not keep the others from being listed. */
export function readFacets(text: string): Partial<Session> {
  try {
    const facets: unknown = JSON.parse(text)
    if (typeof facets === 'object' && facets !== null && !Array.isArray(facets)) return facets
  } catch {
    // falls through: what is not JSON is as damaged as what is no object
  }
  return { damaged: true }
}
