import { useEffect, useState } from 'react'

export interface LazyValue<Value> {
  /** Undefined until it was loaded. */
  loaded?: Value
  load(): Promise<Value>
}

/** What few texts need, and is loaded for the first that does. */
export function lazyValue<Value>(load: () => Promise<Value>): LazyValue<Value> {
  const value: LazyValue<Value> = { load: async () => (value.loaded ??= await load()) }
  return value
}

/** Undefined until it is loaded; what needs it draws without it until then. */
export function useLazyValue<Value>(value: LazyValue<Value>, isNeeded: boolean): Value | undefined {
  const [isLoaded, setLoaded] = useState(value.loaded !== undefined)
  useEffect(() => {
    if (!isNeeded || isLoaded) return
    let isMounted = true
    value.load().then(
      () => isMounted && setLoaded(true),
      () => {}, // tried again by the next text that needs it
    )
    return () => {
      isMounted = false
    }
  }, [value, isNeeded, isLoaded])
  return value.loaded
}
