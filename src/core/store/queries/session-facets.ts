import type { Session } from '../../protocol/session.ts'

// what lists filter by or turns change often has a column of its own; the rest is one JSON text
const coreFacets = [
  'llmSummary',
  'model',
  'instructions',
  'parameters',
  'archiveReason',
  'window',
  'record',
  'toolMeta',
  'allowedTools',
  'allowedSkills',
  'permissionMode',
  'permissionRules',
  'toolGroups',
  'grantedPaths',
  'bgMeta',
  'startedAt',
  'finishedAt',
  'bgResult',
  'bgStructuredData',
  'bgArtifacts',
  'bgResultSource',
  'bgDegraded',
  'forkedFrom',
  'wakes',
  'modeState',
] as const satisfies (keyof Session)[]

/** How the facets of sessions are stored, those of extensions among them. */
export interface StoredFacets {
  /** One damaged row must not keep the others from being listed, nor pass for something else. */
  read(text: string): Partial<Session>
  /** With `before`, what was stored by extensions that are not there now stays as it is. */
  write(session: Partial<Session>, before?: string): string
}

export function createFacets(added: readonly (keyof Session)[]): StoredFacets {
  const keys = [...coreFacets, ...added]
  const known = new Set<string>(keys)
  return {
    read(text) {
      const facets = parseFacets(text)
      if (!facets) return { damaged: true }
      if (Object.keys(facets).every((key) => known.has(key))) return facets
      return Object.fromEntries(Object.entries(facets).filter(([key]) => known.has(key)))
    },
    write(session, before) {
      const stored = before === undefined ? {} : (parseFacets(before) ?? {})
      const others = Object.entries(stored).filter(([key]) => !known.has(key))
      return JSON.stringify(Object.fromEntries([...others, ...keys.map((key) => [key, session[key]])]))
    },
  }
}

/** As they are stored, whoever they belong to; undefined when the row is damaged. */
export function parseFacets(text: string): Partial<Session> | undefined {
  try {
    const facets: unknown = JSON.parse(text)
    if (typeof facets === 'object' && facets !== null && !Array.isArray(facets)) return facets
  } catch {
    // falls through: what is not JSON is as damaged as what is no object
  }
  return undefined
}
