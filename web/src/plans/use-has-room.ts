import { useEffect, useState, type RefObject } from 'react'

/** Whether an element is at least this wide; undefined until it is known. */
export function useHasRoom(element: RefObject<HTMLElement | null>, px: number): boolean | undefined {
  const [hasRoom, setHasRoom] = useState<boolean>()
  useEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => setHasRoom((entry?.contentRect.width ?? 0) >= px))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, px])
  return hasRoom
}
