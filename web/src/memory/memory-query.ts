import type { MemoryLayer, MemoryType } from '../../../src/client/index.ts'

export const memoryLayers = ['user', 'scope', 'session'] as const satisfies readonly MemoryLayer[]
export const memoryTypes = [
  'profile',
  'narrative',
  'foresight',
  'event_log',
  'document',
] as const satisfies readonly MemoryType[]
export const memoryStatuses = ['active', 'deleted'] as const

export interface MemoryFilter {
  layer?: MemoryLayer
  type?: MemoryType
  status: (typeof memoryStatuses)[number]
  session?: string
  /** Words that are looked for. */
  q?: string
}

export type MemoryFilterName = keyof MemoryFilter

/** What the URL asks for; what is no layer, type or status counts as not said. */
export function readFilter(values: Partial<Record<MemoryFilterName, string>>): MemoryFilter {
  return {
    layer: memoryLayers.find((layer) => layer === values.layer),
    type: memoryTypes.find((type) => type === values.type),
    status: memoryStatuses.find((status) => status === values.status) ?? 'active',
    session: values.session || undefined,
    q: values.q?.trim() || undefined,
  }
}

/** What the server does not look for. */
export function problemOf({ q, status, layer, session }: MemoryFilter) {
  if (q === undefined) return undefined
  if (status === 'deleted') return 'searchDeleted'
  return layer === 'session' && session === undefined ? 'searchSessions' : undefined
}

/** A profile is of a user, and of nobody else. */
export const typesOf = (layer: MemoryLayer): readonly MemoryType[] =>
  memoryTypes.filter((type) => type !== 'profile' || layer === 'user')

/** The type that one has whose type nobody named. */
export const usualTypes: Readonly<Record<MemoryLayer, MemoryType>> = {
  user: 'profile',
  scope: 'narrative',
  session: 'event_log',
}
