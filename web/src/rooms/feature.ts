import { MessagesSquare } from 'lucide-react'
import { isRoom, isSeat } from '../../../src/extensions/room/protocol/session-kinds.ts'
import { defineWeb } from '../shell/define-web.ts'
import { roomQueries } from './queries.ts'

declare module '../shell/pages.ts' {
  interface Pages {
    '/rooms': 'q' | 'thread' | 'archive' | 'form'
    '/agents': 'q' | 'form' | 'agent'
  }
}

declare module '../shell/preferences.ts' {
  interface Preferences {
    /** How answers of several agents stand where there is room for columns, which is the default. */
    roomLayout?: 'columns' | 'stacked'
  }
}

const name = { en: 'Rooms', zh: '房间' }

/** Rooms, in which several agents answer, and the agents. */
export const rooms = defineWeb({
  id: 'rooms',
  texts: { en: () => import('./en.ts'), zh: () => import('./zh.ts') },
  pages: [
    {
      path: '/rooms',
      search: ['q', 'thread', 'archive', 'form'],
      load: async () => (await import('./page.tsx')).Page,
      nav: { name, icon: MessagesSquare },
    },
    {
      path: '/agents',
      search: ['q', 'form', 'agent'],
      load: async () => (await import('./agents/page.tsx')).Page,
    },
  ],
  commands: { name, load: async () => (await import('./use-room-commands.ts')).useRoomCommands },
  sessionViews: [{ appliesTo: isRoom, load: async () => (await import('./room-view.tsx')).RoomView }],
  contextViews: [{ appliesTo: isRoom, load: async () => (await import('./room-context.tsx')).RoomContext }],
  composers: [{ appliesTo: isSeat, load: async () => (await import('./seat-note.tsx')).SeatNote }],
  // the room shows what its agents did, in its own way
  parts: {
    'data-action': null,
    'data-agent': null,
    'data-commands': null,
    'data-room': null,
    'data-round': null,
  },
  // of a room its end is told, and not that of each agent
  ownsEndOf: isSeat,
  queries: roomQueries,
})
