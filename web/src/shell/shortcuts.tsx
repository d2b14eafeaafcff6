import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { usePerform } from './actions-provider.tsx'
import { keysOf } from './actions.ts'
import { isMac, isWriting, matchesCombo } from './key-combo.ts'
import { useOverlays } from './overlays.ts'
import { usePreferences } from './preferences.ts'
import { useActions } from './use-actions.ts'

const ShortcutSheet = lazy(async () => ({
  default: (await import('./shortcut-sheet.tsx')).ShortcutSheet,
}))

/** Listens for the keys of actions, after everybody else had a chance to take them for something of their own. */
export function Shortcuts() {
  const perform = usePerform()
  const actions = useActions()
  const { sessionId } = useParams({ strict: false })
  const isSheetOpen = useOverlays(({ open }) => open === 'shortcuts')
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return
      const chosen = usePreferences.getState().shortcuts
      const inDialog = isDialogOpen()
      // an editor in a tree of its own is seen from here as the box around it
      const isText = isTextBox(event.composedPath()[0] ?? event.target)
      const action = actions.find(
        (candidate) =>
          (candidate.scope === 'everywhere' || sessionId !== undefined) &&
          (candidate.isOverDialogs || !inDialog) &&
          keysOf(candidate, chosen).some(
            (combo) => matchesCombo(combo, event, isMac()) && !(isText && isWriting(combo)),
          ),
      )
      if (!action) return
      event.preventDefault()
      perform(action)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [perform, sessionId, actions])
  return (
    isSheetOpen && (
      <Suspense>
        <ShortcutSheet />
      </Suspense>
    )
  )
}

const isDialogOpen = () => document.querySelector('[role="dialog"][data-open]') !== null

const isTextBox = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role="menu"] *, [role="listbox"] *'))
