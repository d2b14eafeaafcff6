import type { Session } from '../../protocol/session.ts'

// what lists filter by or turns change often has a column of its own; the rest is one JSON text
export const facetKeys = [
  'llmSummary',
  'model',
  'modeState',
  'agents',
  'room',
  'archiveReason',
  'planId',
  'window',
  'record',
  'toolMeta',
  'allowedTools',
  'allowedSkills',
  'allowedMcpServerIds',
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
] as const satisfies (keyof Session)[]
const known = new Set<string>(facetKeys)

/** One damaged row must not keep the others from being listed, nor pass for something else. */
export function readFacets(text: string): Partial<Session> {
  try {
    const facets: unknown = JSON.parse(text)
    if (typeof facets === 'object' && facets !== null && !Array.isArray(facets)) return onlyKnown(facets)
  } catch {
    // falls through: what is not JSON is as damaged as what is no object
  }
  return { damaged: true }
}

function onlyKnown(facets: Partial<Session>): Partial<Session> {
  const keys = Object.keys(facets)
  if (keys.every((key) => known.has(key))) return facets
  return Object.fromEntries(Object.entries(facets).filter(([key]) => known.has(key)))
}
