import { createContext, use, useCallback, useState, type ReactNode } from 'react'

type Announce = (text: string, kind?: 'status' | 'log') => void

const AnnouncerContext = createContext<Announce>(() => {})

/**
 * Two polite live regions, and the only ones: what goes on, and what was said. Text that grows is never in one; whoever
 * has finished something announces it once.
 */
export function Announcer({ children }: { children: ReactNode }) {
  const [status, setStatus] = useState('')
  const [log, setLog] = useState('')
  const announce = useCallback<Announce>((text, kind = 'status') => {
    const set = kind === 'status' ? setStatus : setLog
    // the same words again are read only when they were gone in between
    set('')
    setTimeout(() => set(text), 50)
  }, [])
  return (
    <AnnouncerContext value={announce}>
      {children}
      <div aria-live="polite" role="status" className="sr-only" data-region="status">
        {status}
      </div>
      <div aria-live="polite" className="sr-only" data-region="log">
        {log}
      </div>
    </AnnouncerContext>
  )
}

export const useAnnounce = (): Announce => use(AnnouncerContext)
