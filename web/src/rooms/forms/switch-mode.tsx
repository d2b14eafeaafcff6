import { useMutation, useQueryClient } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../../../src/client/index.ts'
import { sessionKeys } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { DialogForm } from '../../ui/form-dialog.tsx'
import { useClient } from '../../api/api.tsx'
import { useModes } from '../use-agents.ts'
import { roomFormTexts } from '../texts.ts'
import { ModePicker } from './mode-picker.tsx'
import { OptionFields } from './option-fields.tsx'
import { readDraft, toDraft, toFields } from './schema-fields.ts'

interface Props {
  session: Session
  onClose(): void
}

/** Another mode, or the same from its beginning; says first what is lost. */
export function SwitchMode({ session, onClose }: Props) {
  const t = useTexts(roomFormTexts)
  const { rooms } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const modes = useModes()
  const [name, setName] = useState(session.mode ?? '')
  const fields = toFields(modes.data?.find((mode) => mode.name === name)?.options)
  const [options, setOptions] = useState({ mode: '', draft: {} })
  const draft = options.mode === name ? options.draft : toDraft(fields)
  const read = readDraft(fields, draft)
  const [isTried, setTried] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      rooms.setMode(session.id, {
        scope,
        mode: name,
        ...('value' in read && Object.keys(read.value).length > 0 && { modeState: read.value }),
      }),
    onSuccess(changed) {
      queries.setQueryData(sessionKeys.session(session.id), changed)
      void queries.invalidateQueries({ queryKey: sessionKeys.session(session.id) })
      onClose()
    },
  })
  return (
    <Dialog title={t.switchTitle} onClose={onClose} wide>
      {modes.error ? (
        <Failure error={modes.error} onRetry={() => void modes.refetch()} />
      ) : !modes.data ? (
        <Loading />
      ) : (
        <DialogForm
          label={name === session.mode ? t.switchSame : t.switch}
          isDisabled={isPending}
          error={error}
          onSubmit={() => {
            setTried(true)
            if ('value' in read) mutate()
          }}
          onClose={onClose}
        >
          <p className="flex gap-2 rounded-lg border border-warning/40 px-3 py-2 text-sm">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
            {t.switchWarning}
          </p>
          <ModePicker modes={modes.data} value={name} onChange={setName} />
          <OptionFields
            fields={fields}
            draft={draft}
            problems={isTried && 'problems' in read ? read.problems : undefined}
            onChange={(next) => setOptions({ mode: name, draft: next })}
          />
        </DialogForm>
      )}
    </Dialog>
  )
}
