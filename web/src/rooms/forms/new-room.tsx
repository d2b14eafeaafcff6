import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Agent } from '../../../../src/extensions/agents/protocol/agent.ts'
import type { RoomMode } from '../../../../src/extensions/room/protocol/room.ts'
import { useClient } from '../../api/api.tsx'
import { issueTexts } from '../../api/texts.ts'
import { useScope } from '../../api/scope.ts'
import { useLanguage, useTexts } from '../../shell/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { DialogForm } from '../../ui/form-dialog.tsx'
import { useAgents, useModes } from '../use-agents.ts'
import { AgentPicker } from './agent-picker.tsx'
import { roomFormTexts } from '../texts.ts'
import { ModePicker } from './mode-picker.tsx'
import { OptionFields } from './option-fields.tsx'
import { agentProblem, emptyRoomFields, toRoomSettings, type RoomDraftFields } from './room-draft.ts'
import { toRoomErrors } from './room-errors.ts'
import { RoomFields } from './room-fields.tsx'
import { readDraft, toDraft, toFields } from './schema-fields.ts'
import { ThreadField, useEnsureThread } from './thread-field.tsx'

interface Props {
  /** The thread that is looked at. */
  thread?: string
  onClose(): void
}

export function NewRoom(props: Props) {
  const t = useTexts(roomFormTexts)
  const modes = useModes()
  const agents = useAgents()
  const error = modes.error ?? agents.error
  return (
    <Dialog title={t.newRoom} onClose={props.onClose} wide>
      {error ? (
        <Failure
          error={error}
          onRetry={() => {
            void modes.refetch()
            void agents.refetch()
          }}
        />
      ) : modes.data && agents.data ? (
        <Form {...props} modes={modes.data} agents={agents.data.items} />
      ) : (
        <Loading />
      )}
    </Dialog>
  )
}

function Form({
  thread = '',
  modes,
  agents,
  onClose,
}: Props & { modes: readonly RoomMode[]; agents: Agent[] }) {
  const t = useTexts(roomFormTexts)
  const language = useLanguage()
  const scope = useScope()
  const { sessions } = useClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const ensureThread = useEnsureThread()
  const [modeName, setModeName] = useState(modes[0]?.name ?? '')
  const mode = modes.find(({ name }) => name === modeName)
  const [title, setTitle] = useState('')
  const [slug, setSlug] = useState(thread)
  const [fields, setFields] = useState<RoomDraftFields>(() => ({
    ...emptyRoomFields(language),
    agents: firstAgents(agents),
  }))
  const optionFields = useMemo(() => toFields(mode?.options), [mode])
  const [options, setOptions] = useState({ mode: modeName, draft: toDraft(optionFields) })
  const draft = options.mode === modeName ? options.draft : toDraft(optionFields)
  const read = readDraft(optionFields, draft)
  const [isTried, setTried] = useState(false)
  const wrong = mode && agentProblem(mode, fields.agents.length)
  const { mutate, isPending, error, variables } = useMutation({
    async mutationFn(given: string) {
      await ensureThread(given)
      return sessions.create({
        scope,
        mode: modeName,
        agents: [...fields.agents],
        room: toRoomSettings(fields),
        ...(title.trim() !== '' && { title: title.trim() }),
        ...(given !== '' && { thread: given }),
        ...('value' in read && Object.keys(read.value).length > 0 && { modeState: read.value }),
      })
    },
    onSuccess({ id }) {
      void queries.invalidateQueries({ queryKey: ['sessions'] })
      void queries.invalidateQueries({ queryKey: ['threads'] })
      void navigate({
        to: '/sessions/$sessionId',
        params: { sessionId: id },
        search: { scope },
        state: { isTyping: true },
      })
    },
  })
  const errors = toRoomErrors(error, variables, useTexts(issueTexts))
  return (
    <DialogForm
      label={t.create}
      isDisabled={isPending}
      error={errors.form}
      onSubmit={() => {
        setTried(true)
        if (!wrong && 'value' in read) mutate(slug)
      }}
      onClose={onClose}
    >
      <Field label={t.title} hint={t.titleHint} error={errors.title}>
        {(control) => (
          <input {...control} dir="auto" value={title} onChange={({ target }) => setTitle(target.value)} />
        )}
      </Field>
      <ModePicker modes={modes} value={modeName} onChange={setModeName} />
      <AgentPicker
        agents={agents}
        chosen={fields.agents}
        hint={mode && t.agentsHint(mode.minAgents, mode.maxAgents)}
        error={
          (isTried && wrong && t[wrong](wrong === 'tooFew' ? mode.minAgents : mode.maxAgents)) ||
          errors.agents
        }
        onChange={(chosen) => setFields({ ...fields, agents: chosen })}
      />
      <OptionFields
        fields={optionFields}
        draft={draft}
        problems={isTried && 'problems' in read ? read.problems : undefined}
        onChange={(next) => setOptions({ mode: modeName, draft: next })}
      />
      <RoomFields
        fields={fields}
        error={errors.room}
        onChange={(patch) => setFields({ ...fields, ...patch })}
      />
      <ThreadField value={slug} error={errors.thread} onChange={setSlug} />
    </DialogForm>
  )
}

// the friendly ones that come with Parley
const usual = ['mira', 'quill', 'pip']

const firstAgents = (agents: readonly Agent[]): string[] =>
  usual.filter((name) => agents.some((agent) => agent.name === name))
