import {
  ArrowLeftRight,
  ChevronLeft,
  ChevronRight,
  ChevronsDown,
  ChevronsUp,
  ClipboardCopy,
  CodeXml,
  Keyboard,
  PanelLeft,
  PanelRight,
  PenLine,
  Search,
  Settings,
  SquarePen,
  TextSearch,
  type LucideIcon,
} from 'lucide-react'
import type { actionTexts } from './action-texts.ts'
import { focusComposer, goToUserMessage, goToVariant, switchPane } from './message-moves.ts'

export type ActionName = keyof (typeof actionTexts)['en']['actions']

/** What actions do their work with. */
export interface ActionContext {
  goTo(path: string): void
  toggleSidebar(): void
  toggleDock(): void
  togglePalette(): void
  toggleShortcuts(): void
  /** To the box that searches the sessions. */
  findSession(): void
  /** Of the session that is open. */
  copyLast(what: 'answer' | 'code'): void
}

/** Something that can be asked for by button, palette or keys; all of them find it here. Its label is in the texts. */
export interface Action {
  name: ActionName
  icon: LucideIcon
  /** Written as `key-combo.ts` says; the first is the one that is shown. */
  keys: readonly string[]
  scope: 'everywhere' | 'session'
  /** Its keys work while a dialog is open. */
  isOverDialogs?: true
  perform(context: ActionContext): void
}

export const actions: readonly Action[] = [
  {
    name: 'palette',
    icon: Search,
    keys: ['mod+k'],
    scope: 'everywhere',
    isOverDialogs: true,
    perform: ({ togglePalette }) => togglePalette(),
  },
  {
    name: 'newSession',
    icon: SquarePen,
    keys: ['mod+shift+o'],
    scope: 'everywhere',
    perform({ goTo }) {
      goTo('/')
      // the page may have to be drawn first
      setTimeout(focusComposer, 50)
    },
  },
  {
    name: 'findSession',
    icon: TextSearch,
    keys: ['mod+shift+f'],
    scope: 'everywhere',
    perform: ({ findSession }) => findSession(),
  },
  {
    name: 'sidebar',
    icon: PanelLeft,
    keys: ['mod+b'],
    scope: 'everywhere',
    isOverDialogs: true,
    perform: ({ toggleSidebar }) => toggleSidebar(),
  },
  {
    name: 'dock',
    icon: PanelRight,
    keys: ['mod+shift+b'],
    scope: 'everywhere',
    isOverDialogs: true,
    perform: ({ toggleDock }) => toggleDock(),
  },
  {
    name: 'shortcuts',
    icon: Keyboard,
    keys: ['mod+/', '?'],
    scope: 'everywhere',
    perform: ({ toggleShortcuts }) => toggleShortcuts(),
  },
  {
    name: 'settings',
    icon: Settings,
    keys: ['mod+.'],
    scope: 'everywhere',
    perform: ({ goTo }) => goTo('/settings'),
  },
  {
    name: 'focusComposer',
    icon: PenLine,
    keys: ['shift+escape'],
    scope: 'session',
    perform: focusComposer,
  },
  { name: 'switchPane', icon: ArrowLeftRight, keys: ['f6'], scope: 'session', perform: switchPane },
  {
    name: 'copyAnswer',
    icon: ClipboardCopy,
    keys: ['mod+shift+c'],
    scope: 'session',
    perform: ({ copyLast }) => copyLast('answer'),
  },
  {
    name: 'copyCode',
    icon: CodeXml,
    keys: ['mod+shift+;'],
    scope: 'session',
    perform: ({ copyLast }) => copyLast('code'),
  },
  {
    name: 'previousMessage',
    icon: ChevronsUp,
    keys: ['alt+arrowup'],
    scope: 'session',
    perform: () => goToUserMessage(-1),
  },
  {
    name: 'nextMessage',
    icon: ChevronsDown,
    keys: ['alt+arrowdown'],
    scope: 'session',
    perform: () => goToUserMessage(1),
  },
  {
    name: 'previousVariant',
    icon: ChevronLeft,
    keys: ['['],
    scope: 'session',
    perform: () => goToVariant(-1),
  },
  { name: 'nextVariant', icon: ChevronRight, keys: [']'], scope: 'session', perform: () => goToVariant(1) },
]

export const actionNamed = (name: ActionName): Action => actions.find((action) => action.name === name)!

/** The keys that one person has for it: their own, where they chose some; an empty choice is none. */
export function keysOf({ name, keys }: Action, chosen: Readonly<Record<string, string>>): readonly string[] {
  const own = chosen[name]
  return own === undefined ? keys : own.split(' ').filter(Boolean)
}

/** Who has these keys already. */
export const actionWithKeys = (combo: string, chosen: Readonly<Record<string, string>>): Action | undefined =>
  actions.find((action) => keysOf(action, chosen).includes(combo))
