import { useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { MessageCircle, Mic, MicOff } from 'lucide-react'
import type { RoomRecord } from '../../../../src/extensions/room/protocol/room.ts'
import { useClient } from '../../api/api.tsx'
import { roomKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useSearchState } from '../../shell/search-state.ts'
import { useTexts } from '../../shell/texts.ts'
import { Menu } from '../../ui/menu.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Avatar } from '../avatar.tsx'
import { roomTexts } from '../texts.ts'

interface Props {
  room: RoomRecord
  isBusy: boolean
  /** Somebody is answering now. */
  onAsked(): void
}

/** Who is in a free chat; each can be asked alone, or muted. */
export function AgentFaces({ room: { id, agents, settings }, isBusy, onAsked }: Props) {
  const t = useTexts(roomTexts)
  const { rooms } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const [{ as }] = useSearchState<'as'>()
  const attempt = (deed: () => Promise<unknown>) => () =>
    void deed()
      .then(() => queries.invalidateQueries({ queryKey: roomKeys.room(id).slice(0, 3) }))
      .catch(({ message }: Error) => toast({ title: t.failed, description: message, isProblem: true }))
  return (
    <ul aria-label={t.agents} className="flex min-w-0 items-center gap-0.5">
      {agents.map((agent) => {
        const { name } = agent
        const isMuted = settings.muted?.includes(name) ?? false
        const shown = agent.displayName || name
        const label = isMuted ? t.mutedName(shown) : shown
        return (
          <li key={name}>
            <Menu
              trigger={
                <button type="button" title={label} aria-label={label} className="block rounded-full">
                  <Avatar agent={agent} size="small" className={clsx(isMuted && 'opacity-40')} />
                </button>
              }
              items={[
                {
                  name: 'ask',
                  label: t.askOne,
                  icon: MessageCircle,
                  isDisabled: isBusy || isMuted,
                  perform: attempt(async () => {
                    await rooms.ask(id, { scope, agent: name, ...(as && { from: as }) })
                    onAsked()
                  }),
                },
                {
                  name: 'mute',
                  label: isMuted ? t.unmute : t.mute,
                  icon: isMuted ? Mic : MicOff,
                  isDisabled: isBusy,
                  perform: attempt(() => rooms[isMuted ? 'unmute' : 'mute'](id, { scope, agent: name })),
                },
              ]}
            />
          </li>
        )
      })}
    </ul>
  )
}
