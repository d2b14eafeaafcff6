import { useEffect, useRef, useState } from 'react'

/** The same functions at every render, which do what the latest ones do: what is given them need not be drawn again. */
export function useStable<Functions extends { [name: string]: (...args: never[]) => unknown }>(
  functions: Functions,
): Functions {
  const latest = useRef(functions)
  useEffect(() => {
    latest.current = functions
  })
  const [stable] = useState(() => {
    const callLatest =
      (name: keyof Functions) =>
      (...args: never[]) =>
        latest.current[name]!(...args)
    return Object.fromEntries(Object.keys(functions).map((name) => [name, callLatest(name)])) as Functions
  })
  return stable
}
