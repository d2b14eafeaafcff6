import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Session } from '../../../../src/client/index.ts'
import type { RoomMode } from '../../../../src/extensions/room/protocol/room.ts'
import { useClient } from '../../api/api.tsx'
import { issueTexts } from '../../api/texts.ts'
import { sessionKeys } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { DialogForm } from '../../ui/form-dialog.tsx'
import { useAgents } from '../use-agents.ts'
import { AgentPicker } from './agent-picker.tsx'
import { roomFormTexts } from '../texts.ts'
import { agentProblem, toRoomFields, toRoomSettings } from './room-draft.ts'
import { toRoomErrors } from './room-errors.ts'
import { RoomFields } from './room-fields.tsx'
import { ThreadField, useEnsureThread } from './thread-field.tsx'

interface Props {
  session: Session
  mode: RoomMode
  onClose(): void
}

/** Who is in the room, and how it behaves. */
export function RoomSettingsDialog({ session, mode, onClose }: Props) {
  const t = useTexts(roomFormTexts)
  const scope = useScope()
  const { sessions } = useClient()
  const queries = useQueryClient()
  const agents = useAgents()
  const ensureThread = useEnsureThread()
  const [fields, setFields] = useState(() => toRoomFields(session))
  const [slug, setSlug] = useState(session.thread ?? '')
  const wrong = agentProblem(mode, fields.agents.length)
  const { mutate, isPending, error, variables } = useMutation({
    async mutationFn(thread: string) {
      await ensureThread(thread)
      return sessions.update(session.id, {
        scope,
        agents: [...fields.agents],
        room: toRoomSettings(fields, session.room),
        thread: thread === '' ? null : thread,
      })
    },
    onSuccess(changed) {
      queries.setQueryData(sessionKeys.session(session.id), changed)
      void queries.invalidateQueries({ queryKey: sessionKeys.session(session.id) })
      onClose()
    },
  })
  const errors = toRoomErrors(error, variables, useTexts(issueTexts))
  return (
    <Dialog title={t.settingsTitle} onClose={onClose} wide>
      {agents.error ? (
        <Failure error={agents.error} onRetry={() => void agents.refetch()} />
      ) : !agents.data ? (
        <Loading />
      ) : (
        <DialogForm
          label={t.save}
          isDisabled={isPending}
          error={errors.form}
          onSubmit={() => {
            if (!wrong) mutate(slug)
          }}
          onClose={onClose}
        >
          <AgentPicker
            agents={agents.data.items}
            chosen={fields.agents}
            hint={t.agentsHint(mode.minAgents, mode.maxAgents)}
            error={(wrong && t[wrong](wrong === 'tooFew' ? mode.minAgents : mode.maxAgents)) || errors.agents}
            onChange={(chosen) => setFields({ ...fields, agents: chosen })}
          />
          <RoomFields
            fields={fields}
            error={errors.room}
            onChange={(patch) => setFields({ ...fields, ...patch })}
          />
          <ThreadField value={slug} error={errors.thread} onChange={setSlug} />
        </DialogForm>
      )}
    </Dialog>
  )
}
