import { useEffect } from 'react'
import { toVisible } from '../../../src/core/shared/visible.ts'

const app = 'Parley'

/** Names the tab after what is open in it; how many runs are unread is put before it by whoever counts them. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (!name) return
    document.title = `${toVisible(name, { isLine: true })} · ${app}`
    return () => {
      document.title = app
    }
  }, [name])
}
