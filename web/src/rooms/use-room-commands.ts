import { Plus, UsersRound } from 'lucide-react'
import type { PaletteItem } from '../app/palette-items.ts'
import { useTexts } from '../app/texts.ts'
import { useGoTo } from '../app/use-go-to.ts'
import { agentTexts } from './agents/agent-texts.ts'
import { roomListTexts } from './list/list-texts.ts'

/** What the palette offers of rooms: to make one, and to see who can be in them. Rooms themselves are among the sessions. */
export function useRoomCommands(): PaletteItem[] {
  const t = useTexts(roomListTexts)
  const agents = useTexts(agentTexts)
  const goTo = useGoTo()
  return [
    {
      id: 'room:new',
      label: t.add,
      icon: Plus,
      words: `${roomListTexts.en.add} ${roomListTexts.zh.add}`,
      perform: () => goTo('/rooms', { form: 'new' }),
    },
    {
      id: 'room:agents',
      label: agents.title,
      icon: UsersRound,
      words: `${agentTexts.en.title} ${agentTexts.zh.title}`,
      perform: () => goTo('/agents'),
    },
  ]
}
