import { Plus, UsersRound } from 'lucide-react'
import { wordsOf, type PaletteItem } from '../shell/palette-items.ts'
import { useName } from '../shell/texts.ts'
import { useGoTo } from '../shell/use-go-to.ts'

const newRoom = { en: 'New room', zh: '新建房间' }
const agents = { en: 'Agents', zh: '智能体' }

/** What the palette offers of rooms: to make one, and to see who can be in them. Rooms themselves are among the sessions. */
export function useRoomCommands(): { commands: PaletteItem[] } {
  const nameOf = useName()
  const goTo = useGoTo()
  return {
    commands: [
      {
        id: 'room:new',
        label: nameOf(newRoom),
        icon: Plus,
        words: wordsOf(newRoom),
        perform: () => goTo('/rooms', { form: 'new' }),
      },
      {
        id: 'room:agents',
        label: nameOf(agents),
        icon: UsersRound,
        words: wordsOf(agents),
        perform: () => goTo('/agents'),
      },
    ],
  }
}
