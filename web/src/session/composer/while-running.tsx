import { setPreferences } from '../../shell/preferences.ts'
import { useTexts } from '../../shell/texts.ts'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { composerTexts } from '../texts.ts'
import { otherPolicy, type Policy } from './outgoing.ts'

/** What Enter does while a turn goes on, and a way to have it the other way round. */
export function WhileRunning({ policy }: { policy: Policy }) {
  const t = useTexts(composerTexts)
  const isTouch = useMediaQuery('(pointer: coarse)')
  return (
    <p className="flex items-center justify-center gap-2 pt-1 text-xs text-muted">
      {policy === 'enqueue'
        ? isTouch
          ? t.buttonEnqueues
          : t.enterEnqueues
        : isTouch
          ? t.buttonSteers
          : t.enterSteers}
      <button
        type="button"
        className="rounded px-1 py-1 underline hover:bg-hover"
        onClick={() => setPreferences({ whileRunning: otherPolicy[policy] })}
      >
        {t.swap}
      </button>
    </p>
  )
}
