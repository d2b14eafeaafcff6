import { useEffect, useState } from 'react'

/**
 * How much is seen above the keyboard of a phone, where the browser lays the keyboard over the page instead of making
 * the page smaller. Undefined where there is nothing to do.
 */
export function useVisibleHeight(): number | undefined {
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    const { visualViewport } = window
    if (!visualViewport) return
    const measure = () => {
      // a page that is zoomed into shows less of itself, too
      const isCovered = visualViewport.scale === 1 && visualViewport.height < window.innerHeight - 1
      setHeight(isCovered ? visualViewport.height : undefined)
    }
    visualViewport.addEventListener('resize', measure)
    return () => visualViewport.removeEventListener('resize', measure)
  }, [])
  return height
}
