import { useMemo } from 'react'
import type { Part } from '../../../src/client/index.ts'
import type { WebFeature } from './define-web.ts'
import { useFeatures } from './features-context.tsx'
import type { Load } from './lazy-view.tsx'

type View = Load<{ part: Part }>

/** Who draws what in a message. */
export interface PartViews {
  /** Null: nothing of it is to be seen. Undefined: nobody draws it. */
  ofPart(type: string): View | null | undefined
  /** Undefined: it is drawn like all other tools. */
  ofTool(name: string): View | undefined
}

export function partViewsOf(features: readonly WebFeature[]): PartViews {
  const parts = features.flatMap((feature) => Object.entries(feature.parts ?? {}))
  const tools = features.flatMap((feature) => Object.entries(feature.tools ?? {}))
  return { ofPart: (type) => find(parts, type), ofTool: (name) => find(tools, name) }
}

/** The entry of that very name, or else the longest that ends with `*` and that the name begins with. */
function find<Value>(entries: readonly (readonly [string, Value])[], name: string): Value | undefined {
  const exact = entries.find(([pattern]) => pattern === name)
  if (exact) return exact[1]
  const [longest] = entries
    .filter(([pattern]) => pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)))
    .sort(([a], [b]) => b.length - a.length)
  return longest?.[1]
}

export function usePartViews(): PartViews {
  const features = useFeatures()
  return useMemo(() => partViewsOf(features), [features])
}
