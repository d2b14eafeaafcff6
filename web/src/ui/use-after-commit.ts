import { useLayoutEffect, useState } from 'react'

/**
 * Does something once all that was set along with it is on the page: the focus can only go to what is there, and what is
 * set after a request may come later than the next frame.
 */
export function useAfterCommit(): (work: () => void) => void {
  const [asked, setAsked] = useState<{ work(): void }>()
  useLayoutEffect(() => asked?.work(), [asked])
  return (work) => setAsked({ work })
}
