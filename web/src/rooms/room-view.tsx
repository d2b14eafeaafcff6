import { lazy, Suspense } from 'react'
import type { Session } from '../../../src/client/index.ts'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import type { RoomRecord } from '../../../src/extensions/room/protocol/room.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useUnsent } from '../session/composer/use-unsent.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { defaultHuman } from './forms/room-draft.ts'
import { ModeBar } from './mode/mode-bar.tsx'
import { PlayerPanel } from './mode/player-panel.tsx'
import { RoomComposer } from './room-composer.tsx'
import { RoomConversation } from './room-conversation.tsx'
import { RoomTopbar } from './room-topbar.tsx'
import { useAdvance } from './use-advance.ts'
import { useRoomAnnouncements } from './use-room-announcements.ts'
import { useRoomNames } from './use-room-names.ts'
import { useRoom, useRoomConversation, type OpenRoom } from './use-room.ts'

const RoomSettingsDialog = lazy(async () => ({
  default: (await import('./forms/room-settings.tsx')).RoomSettingsDialog,
}))
const SwitchMode = lazy(async () => ({ default: (await import('./forms/switch-mode.tsx')).SwitchMode }))

/** One room: what was said, who is answering, and the box to speak. In the URL: `as`, the person who looks, and `form`. */
export function RoomView({ session }: { session: Session }) {
  const conversation = useRoomConversation(session.id)
  const [{ as }] = useSearchState<'as'>()
  const room = useRoom(session, as, conversation.draft)
  const failure = room.error ?? (conversation.status === 'failed' ? conversation.error : undefined)
  if (failure && !room.data)
    return (
      <Failure
        error={failure}
        onRetry={() => {
          conversation.refresh()
          void room.refetch()
        }}
      />
    )
  if (!room.data || conversation.status !== 'ready') return <Loading />
  return <Opened session={session} conversation={conversation} room={room.data} />
}

interface OpenedProps {
  session: Session
  room: RoomRecord
  conversation: OpenRoom
}

function Opened({ session, room, conversation }: OpenedProps) {
  const [{ as, form }, setSearch] = useSearchState<'as' | 'form'>()
  const { draft } = conversation
  const isRunning = draft ? !draft.isFinished : session.chatStatus === 'chatting'
  const { agentOf, nameOf } = useRoomNames(room)
  const { advance, act, isAdvancing } = useAdvance(session.id, conversation, as)
  const control = useUnsent(session.id)
  const human = as ?? room.player?.name ?? room.settings.humans?.[0]?.name ?? defaultHuman
  useRoomAnnouncements(conversation, nameOf)
  const close = () => setSearch({ form: undefined })
  const open = (name: string) => () => setSearch({ form: name })
  return (
    <div className="flex h-full min-h-0 flex-col">
      <RoomTopbar session={session} onSettings={open('settings')} onSwitch={open('mode')} />
      <ModeBar
        room={draft?.room?.mode === room.mode.name ? { ...room, state: draft.room.state } : room}
        isBusy={isRunning || isAdvancing}
        agentOf={agentOf}
        nameOf={nameOf}
        onAdvance={advance}
        onAsked={conversation.refresh}
        onSwitch={open('mode')}
      >
        {room.player && room.sealed && <PlayerPanel player={room.player} nameOf={nameOf} />}
      </ModeBar>
      <RoomConversation
        session={session}
        room={room}
        conversation={conversation}
        agentOf={agentOf}
        nameOf={nameOf}
        onAskAgain={(agent) => {
          const question = conversation.messages.findLast(({ role }) => role === 'user')
          const words = control.read().text || (question ? withoutMentions(messageText(question)) : '')
          control.change({ text: `@${agent} ${words}` })
          document.getElementById('composer')?.focus()
        }}
      />
      <RoomComposer
        session={session}
        room={room}
        conversation={conversation}
        control={control}
        human={human}
        isRunning={isRunning}
        nameOf={nameOf}
        onSpeakAs={(name) => setSearch({ as: name })}
        act={act}
      />
      <Suspense>
        {form === 'settings' && <RoomSettingsDialog session={session} mode={room.mode} onClose={close} />}
        {form === 'mode' && <SwitchMode session={session} onClose={close} />}
      </Suspense>
    </div>
  )
}

const withoutMentions = (text: string) => text.replace(/^(@\S+\s+)+/, '')
