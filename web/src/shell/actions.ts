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
  SquarePen,
  TextSearch,
  type LucideIcon,
} from 'lucide-react'
import { focusComposer, goToUserMessage, goToVariant, switchPane } from './message-moves.ts'
import type { FilledPath } from './pages.ts'
import type { Name } from './texts.ts'

export type ActionName = (typeof list)[number]['name']

/** What actions do their work with. */
export interface ActionContext {
  goTo(path: FilledPath): void
  toggleSidebar(): void
  toggleDock(): void
  togglePalette(): void
  toggleShortcuts(): void
  /** To the box that searches the sessions. */
  findSession(): void
  /** Of the session that is open. */
  copyLast(what: 'answer' | 'code'): void
}

/** Something that can be asked for by button, palette or keys; all of them find it here. */
interface ActionOf<Id extends string> {
  name: Id
  label: Name
  icon: LucideIcon
  /** Written as `key-combo.ts` says; the first is the one that is shown. */
  keys: readonly string[]
  scope: 'everywhere' | 'session'
  /** Its keys work while a dialog is open. */
  isOverDialogs?: true
  perform(context: ActionContext): void
}

const list = [
  {
    name: 'palette',
    label: { en: 'Search and commands', zh: '搜索与命令' },
    icon: Search,
    keys: ['mod+k'],
    scope: 'everywhere',
    isOverDialogs: true,
    perform: ({ togglePalette }) => togglePalette(),
  },
  {
    name: 'newSession',
    label: { en: 'New session', zh: '新会话' },
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
    label: { en: 'Search sessions', zh: '搜索会话' },
    icon: TextSearch,
    keys: ['mod+shift+f'],
    scope: 'everywhere',
    perform: ({ findSession }) => findSession(),
  },
  {
    name: 'sidebar',
    label: { en: 'Show or hide sessions', zh: '显示或隐藏会话列表' },
    icon: PanelLeft,
    keys: ['mod+b'],
    scope: 'everywhere',
    isOverDialogs: true,
    perform: ({ toggleSidebar }) => toggleSidebar(),
  },
  {
    name: 'dock',
    label: { en: 'Show or hide side panel', zh: '显示或隐藏侧栏' },
    icon: PanelRight,
    keys: ['mod+shift+b'],
    scope: 'everywhere',
    isOverDialogs: true,
    perform: ({ toggleDock }) => toggleDock(),
  },
  {
    name: 'shortcuts',
    label: { en: 'Keyboard shortcuts', zh: '键盘快捷键' },
    icon: Keyboard,
    keys: ['mod+/', '?'],
    scope: 'everywhere',
    perform: ({ toggleShortcuts }) => toggleShortcuts(),
  },
  {
    name: 'focusComposer',
    label: { en: 'Write a message', zh: '输入消息' },
    icon: PenLine,
    keys: ['shift+escape'],
    scope: 'session',
    perform: focusComposer,
  },
  {
    name: 'switchPane',
    label: { en: 'Switch between messages and input', zh: '在消息与输入框之间切换' },
    icon: ArrowLeftRight,
    keys: ['f6'],
    scope: 'session',
    perform: switchPane,
  },
  {
    name: 'copyAnswer',
    label: { en: 'Copy last answer', zh: '复制最后一条回答' },
    icon: ClipboardCopy,
    keys: ['mod+shift+c'],
    scope: 'session',
    perform: ({ copyLast }) => copyLast('answer'),
  },
  {
    name: 'copyCode',
    label: { en: 'Copy last code block', zh: '复制最后一个代码块' },
    icon: CodeXml,
    keys: ['mod+shift+;'],
    scope: 'session',
    perform: ({ copyLast }) => copyLast('code'),
  },
  {
    name: 'previousMessage',
    label: { en: 'Go to your previous message', zh: '跳到上一条自己的消息' },
    icon: ChevronsUp,
    keys: ['alt+arrowup'],
    scope: 'session',
    perform: () => goToUserMessage(-1),
  },
  {
    name: 'nextMessage',
    label: { en: 'Go to your next message', zh: '跳到下一条自己的消息' },
    icon: ChevronsDown,
    keys: ['alt+arrowdown'],
    scope: 'session',
    perform: () => goToUserMessage(1),
  },
  {
    name: 'previousVariant',
    label: { en: 'Previous variant', zh: '消息的上一个版本' },
    icon: ChevronLeft,
    keys: ['['],
    scope: 'session',
    perform: () => goToVariant(-1),
  },
  {
    name: 'nextVariant',
    label: { en: 'Next variant', zh: '消息的下一个版本' },
    icon: ChevronRight,
    keys: [']'],
    scope: 'session',
    perform: () => goToVariant(1),
  },
] as const satisfies readonly ActionOf<string>[]

export type Action = ActionOf<string>

/** Those of the shell; pages that are opened by keys have theirs. */
export const actions: readonly Action[] = list

export const actionNamed = (name: ActionName): Action => actions.find((action) => action.name === name)!

/** The keys that one person has for it: their own, where they chose some; an empty choice is none. */
export function keysOf({ name, keys }: Action, chosen: Readonly<Record<string, string>>): readonly string[] {
  const own = chosen[name]
  return own === undefined ? keys : own.split(' ').filter(Boolean)
}

/** Who has these keys already. */
export const actionWithKeys = (
  combo: string,
  chosen: Readonly<Record<string, string>>,
  among: readonly Action[] = actions,
): Action | undefined => among.find((action) => keysOf(action, chosen).includes(combo))
