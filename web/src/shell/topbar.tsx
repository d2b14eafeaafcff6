import { createContext, use, useState, type ReactNode } from 'react'
import { createPortal } from 'react-dom'

const PlaceContext = createContext<HTMLElement | null>(null)

interface Props {
  /** Draws the shell; `place` goes where the bar is. */
  children(place: ReactNode): ReactNode
}

export function TopbarProvider({ children }: Props) {
  const [place, setPlace] = useState<HTMLElement | null>(null)
  return (
    <PlaceContext value={place}>
      {children(<div ref={setPlace} className="flex min-w-0 flex-1 items-center gap-1" />)}
    </PlaceContext>
  )
}

/** Puts what a page has to say about itself into the bar at the top. */
export function Topbar({ children }: { children: ReactNode }) {
  const place = use(PlaceContext)
  return place && createPortal(children, place)
}
