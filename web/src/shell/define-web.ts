import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Approval, EventFrame, Part, Session, SessionListItem } from '../../../src/client/index.ts'
import type { StaleQueries } from '../api/stale-queries.ts'
import type { Load } from './lazy-view.tsx'
import type { Page, FilledPath } from './pages.ts'
import type { PaletteItem } from './palette-items.ts'
import type { SettingsSection } from './settings-section.ts'
import { chosenLanguage, type Name, type TextLoaders } from './texts.ts'

/** One part of the workbench as it describes itself; the shell reads lists of these and names none of them. */
export interface WebFeature {
  id: string
  /** Loaded beside its pages and docks, in the language that is shown; `texts.ts` of the feature hands them out. */
  texts?: TextLoaders
  pages?: readonly Page[]
  /** Tabs of the side panel. */
  docks?: readonly Dock[]
  /** Sections of the settings page, loaded with it. */
  settings?(): Promise<readonly SettingsSection[]>
  /** What the palette offers of it. */
  commands?: PaletteSource
  /** What a person is notified of. */
  notices?: readonly Notice[]
  /** Asks that it notifies of, so that nobody else does. */
  ownsAsk?(ask: { toolName?: string; action?: string }): boolean
  /** Sessions whose ends it notifies of, so that nobody else does. */
  ownsEndOf?(session: Session): boolean
  /** The list at the left. One feature has it. */
  Sidebar?: ComponentType<{ onPick?(): void }>
  /** In place of the usual view of a session; the first that applies. */
  sessionViews?: readonly ForSession[]
  /** Lines above the messages of a session. */
  sessionBars?: readonly ForSession[]
  /** Lines above the box that one writes in. */
  composerBars?: readonly ForSession[]
  /** Beside what is chosen for a message, in that box. */
  composerTools?: readonly ComponentType<{ session: Session }>[]
  /** In place of that box; the first that applies. */
  composers?: readonly ForSession[]
  /** In place of the usual view of what a session's model is sent; the first that applies. */
  contextViews?: readonly ForSession[]
  /** Entries of a session's menu. */
  sessionDialogs?: readonly SessionDialog[]
  /** Other ways to begin a session, offered above the list of them. */
  sessionStarts?: readonly SessionStart[]
  /** The page that shows more of a session than the session itself does. */
  sessionPlace?(session: SessionListItem): SessionPlace | undefined
  /** Of sessions that are parts of something, one line for all of them in the list. */
  sessionGroups?: readonly SessionGroup[]
  /** Below an answer. */
  messageNotes?: readonly ComponentType<MessageNoteProps>[]
  /** More of what is to be decided, in an ask that waits for an answer. */
  asks?: readonly ForAsk[]
  /** Draws parts of messages, by their types; `data-ticket-*` is any that begins so, and null one that is not to be seen. */
  parts?: Readonly<Record<string, Load<{ part: Part }> | null>>
  /** Draws calls of tools, by their names; the others are cards that all look alike. */
  tools?: Readonly<Record<string, Load<{ part: Part }>>>
  /** Names of what it keeps in the URL, whichever page is open. */
  keptSearch?: readonly string[]
  /** Which events make its queries stale. */
  queries?: StaleQueries
}

export interface Dock {
  name: string
  label: Name
  icon: LucideIcon
  /** Gets the session that is open; none on other pages. */
  load: Load<{ sessionId?: string }>
  /** What it keeps in the URL while it is open on a page. */
  search?: Readonly<Record<string, 'text' | 'count'>>
}

export interface PaletteSource {
  /** Heads its commands, and what it found. */
  name: Name
  found?: Name
  load(): Promise<(query: string) => { commands: PaletteItem[]; found?: PaletteItem[] }>
}

export interface Notice {
  /** The component is mounted with the first of these, and gets that one too; without them it is there from the start. */
  events?: readonly string[]
  load: Load<NoticeProps>
}

export interface NoticeProps {
  /** Every event that came since the notice was mounted; returns how to end that. */
  subscribe(listener: (event: EventFrame) => void): () => void
}

export interface ForSession {
  appliesTo(session: Session): boolean
  load: Load<{ session: Session }>
}

export interface ForAsk {
  appliesTo(approval: Approval): boolean
  load: Load<{ approval: Approval }>
}

export interface SessionDialog {
  name: string
  label: Name
  icon: LucideIcon
  appliesTo(session: Session): boolean
  load: Load<{ session: Session; onClose(): void }>
}

export interface SessionStart {
  name: string
  label: Name
  icon: LucideIcon
  /** A hook; what it answers begins the session. */
  useStart(): () => void
}

export interface SessionPlace {
  path: FilledPath
  icon: LucideIcon
}

export interface SessionGroup {
  /** Which group a session is in; undefined for all others. */
  of(session: SessionListItem): { id: string; name: string } | undefined
  load: Load<SessionGroupProps>
}

export interface SessionGroupProps {
  id: string
  name: string
  /** The newest first. */
  sessions: readonly SessionListItem[]
  isActive: boolean
  onPick?(): void
}

export interface MessageNoteProps {
  messageId: string
  metadata: Record<string, unknown> | undefined
}

/** Describes a feature; `features.ts` lists them. */
export function defineWeb({ texts, pages, docks, ...others }: WebFeature): WebFeature {
  // what is drawn asks for its words when it is there: they come meanwhile
  const withWords = <Props>(load: Load<Props>): Load<Props> =>
    texts
      ? () => {
          void texts[chosenLanguage()]().catch(() => {})
          return load()
        }
      : load
  return {
    ...others,
    texts,
    pages: pages?.map((page) => ({ ...page, load: withWords(page.load) })),
    docks: docks?.map((dock) => ({ ...dock, load: withWords(dock.load) })),
  }
}
