import { createElement, lazy, type ComponentType } from 'react'
import { textsReady } from './texts.ts'

/** Loads a component when it is needed: `async () => (await import('./plan-panel.tsx')).PlanPanel`. */
export type Load<Props = object> = () => Promise<ComponentType<Props>>

/** The component that `load` loads, with the other props. It suspends until it is there. */
export function LazyView<Props extends object>({ load, ...props }: { load: Load<Props> } & Props) {
  return createElement(lazyOf(load), props as unknown as Props)
}

/** The component when it can be drawn: with its words. */
export async function loadWithWords<Props>(load: Load<Props>): Promise<ComponentType<Props>> {
  const view = await load()
  await textsReady()
  return view
}

const known = new WeakMap<() => unknown, unknown>()

/** The same one for each `load`, so that it is not mounted again with every render. */
function lazyOf<Props extends object>(load: Load<Props>): ComponentType<Props> {
  const made = known.get(load) as ComponentType<Props> | undefined
  if (made) return made
  const view = lazy(async () => ({ default: await loadWithWords(load) })) as unknown as ComponentType<Props>
  known.set(load, view)
  return view
}
