import { Suspense } from 'react'
import type { Session } from '../../../src/client/index.ts'
import { useContributions } from './features-context.tsx'
import { LazyView, type Load } from './lazy-view.tsx'

type SlotName = 'sessionViews' | 'sessionBars' | 'composerBars' | 'composers' | 'contextViews'

interface Props {
  name: SlotName
  session: Session
}

/** All that features put there for such a session, one below the other. */
export function SessionSlot({ name, session }: Props) {
  return useContributions(name)
    .filter(({ appliesTo }) => appliesTo(session))
    .map(({ load }, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- which ones apply changes with the session alone
      <Suspense key={index}>
        <LazyView load={load} session={session} />
      </Suspense>
    ))
}

/** The first that a feature puts in place of the usual for such a session, for `LazyView`. */
export const useSessionSlot = (
  name: SlotName,
  session: Session | undefined,
): Load<{ session: Session }> | undefined =>
  useContributions(name).find(({ appliesTo }) => session && appliesTo(session))?.load
