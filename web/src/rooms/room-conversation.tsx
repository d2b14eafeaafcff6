import { useSearch } from '@tanstack/react-router'
import type { Session } from '../../../src/client/index.ts'
import type { RoomRecord } from '../../../src/extensions/room/protocol/room.ts'
import type { ShellSearch } from '../shell/shell-search.ts'
import { Timeline } from '../session/timeline.tsx'
import { useSearchForMessage } from '../session/use-search-for-message.ts'
import { useStable } from '../ui/use-stable.ts'
import type { RoomItem } from './room-items.ts'
import { RoundView } from './round-view.tsx'
import { SaidMessage } from './said-message.tsx'
import { useRoomDeeds } from './use-room-deeds.ts'
import type { RoomNames } from './use-room-names.ts'
import { useRoomItems, type OpenRoom } from './use-room.ts'

interface Props extends RoomNames {
  session: Session
  room: RoomRecord
  conversation: OpenRoom
  onAskAgain(agent: string): void
}

/** What was said in a room, round by round. */
export function RoomConversation({ session, room, conversation, agentOf, nameOf, onAskAgain }: Props) {
  const goTo = useSearch({ strict: false, select: ({ message }: ShellSearch) => message })
  const items = useRoomItems(session.id, conversation)
  useSearchForMessage(goTo, conversation)
  // the same function at every render: what is asked again is looked up when it is pressed
  const deeds = useRoomDeeds({
    sessionId: session.id,
    title: session.title,
    isSealed: room.sealed,
    onAskAgain: useStable({ onAskAgain }).onAskAgain,
  })
  const hasSeveral = (room.settings.humans?.length ?? 0) > 1
  return (
    <Timeline
      messages={items}
      hasEarlier={conversation.hasEarlier}
      loadEarlier={conversation.loadEarlier}
      goTo={items.find((item) => holds(item, goTo))?.id}
    >
      {(item, isLast) =>
        item.kind === 'round' ? (
          <RoundView round={item.round} agentOf={agentOf} deeds={deeds} isLast={isLast} markedId={goTo} />
        ) : (
          <SaidMessage
            message={item.message}
            name={hasSeveral ? nameOf(String(item.message.metadata?.from ?? '')) : undefined}
            icon={room.mode.icon}
            deeds={deeds}
            isLast={isLast}
            isMarked={item.message.id === goTo}
          />
        )
      }
    </Timeline>
  )
}

const holds = (item: RoomItem, messageId: string | undefined) =>
  messageId !== undefined &&
  (item.kind === 'message'
    ? item.message.id === messageId
    : item.round.turns.some(({ message }) => message?.id === messageId))
