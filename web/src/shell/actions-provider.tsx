import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { createContext, use, useCallback, useEffect, useRef, type ReactNode } from 'react'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { useClient } from '../api/api.tsx'
import { useToast } from '../ui/toast.tsx'
import { actionTexts } from './shell-texts.ts'
import { actionNamed, keysOf, type Action, type ActionContext, type ActionName } from './actions.ts'
import { useContributions, useKeptSearch } from './features-context.tsx'
import { formatCombo, isMac, toAriaKeys } from './key-combo.ts'
import { lastCodeBlock } from './last-code-block.ts'
import { isDrawerOpen, setOverlay, showSidebar, toggleOverlay, toggleSidebar } from './overlays.ts'
import { usePreferences } from './preferences.ts'
import type { ShellSearch } from './shell-search.ts'
import { useTexts } from './texts.ts'

const PerformContext = createContext<(action: ActionName | Action) => void>(() => {})

/** Lets everything below perform actions by their names. */
export function ActionsProvider({ children }: { children: ReactNode }) {
  const context = useActionContext()
  const latest = useRef(context)
  useEffect(() => {
    latest.current = context
  })
  const perform = useCallback(
    (action: ActionName | Action) =>
      (typeof action === 'string' ? actionNamed(action) : action).perform(latest.current),
    [],
  )
  return <PerformContext value={perform}>{children}</PerformContext>
}

export const usePerform = () => use(PerformContext)

interface Shortcut {
  /** For `aria-keyshortcuts`; undefined where there are no keys. */
  aria?: string
  /** As it is shown. */
  text?: string
}

export function useShortcut(name: ActionName): Shortcut {
  const chosen = usePreferences(({ shortcuts }) => shortcuts)
  const keys = keysOf(actionNamed(name), chosen)
  return keys.length === 0 ? {} : { aria: toAriaKeys(keys, isMac()), text: formatCombo(keys[0]!, isMac()) }
}

function useActionContext(): ActionContext {
  const keepSearch = useKeptSearch()
  const navigate = useNavigate()
  const client = useClient()
  const toast = useToast()
  const t = useTexts(actionTexts)
  const docks = useContributions('docks')
  const { scope, dock } = useSearch({ strict: false })
  const { sessionId } = useParams({ strict: false })
  const copyLast = async (what: 'answer' | 'code') => {
    if (sessionId === undefined) return
    const { items } = await client.sessions.messages(sessionId, { scope, limit: 50 })
    const texts = items.filter(({ role }) => role === 'assistant').map(messageText)
    const text =
      what === 'answer'
        ? texts.findLast((answer) => answer !== '')
        : texts.map(lastCodeBlock).findLast((code) => code !== undefined)
    if (text === undefined) return toast({ title: t.nothingToCopy })
    await navigator.clipboard.writeText(text)
    toast({ title: what === 'answer' ? t.answerCopied : t.codeCopied })
  }
  const setDock = (next: ShellSearch['dock']) =>
    void navigate({ to: '.', search: (before: ShellSearch) => ({ ...before, dock: next }) })
  /** Both would lie over the page. */
  const leaveDockForDrawer = () => {
    if (dock && isDrawerOpen()) setDock(undefined)
  }
  return {
    goTo(path) {
      setOverlay(undefined)
      void navigate({ to: path as string, search: keepSearch() })
    },
    toggleSidebar() {
      toggleSidebar()
      leaveDockForDrawer()
    },
    toggleDock() {
      if (isDrawerOpen()) setOverlay(undefined)
      setDock(dock ? undefined : docks[0]?.name)
    },
    togglePalette: () => toggleOverlay('palette'),
    toggleShortcuts: () => toggleOverlay('shortcuts'),
    findSession() {
      showSidebar()
      leaveDockForDrawer()
      setTimeout(() => document.querySelector<HTMLElement>('[data-session-search]')?.focus(), 50)
    },
    copyLast: (what) =>
      void copyLast(what).catch((error: Error) => toast({ title: t.copyFailed, description: error.message })),
  }
}
