import type { SessionListItem } from '../../../src/client/index.ts'
import type { SessionPlace } from './define-web.ts'
import { useFeatures } from './features-context.tsx'

/** The page that shows more of a session than the session itself does; undefined for most. */
export function useSessionPlace(): (session: SessionListItem) => SessionPlace | undefined {
  const features = useFeatures()
  return (session) => {
    for (const { sessionPlace } of features) {
      const place = sessionPlace?.(session)
      if (place) return place
    }
    return undefined
  }
}
