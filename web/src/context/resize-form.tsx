import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Resize } from '../../../src/core/protocol/window.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { contextTexts } from './texts.ts'

/** Cuts the window back now. With a memo that asks a model, and takes a moment. */
export function ResizeForm({ sessionId }: { sessionId: string }) {
  const t = useTexts(contextTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const [type, setType] = useState('deep')
  const outcome = (resize: Resize) =>
    resize.outcome === 'resized' ? t.resized(resize.after.messages) : t.resizeUnchanged
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => client.sessions.resize(sessionId, { scope, type }),
    onSuccess: (resize) => announce(outcome(resize)),
    onSettled: () => void queries.invalidateQueries({ queryKey: sessionKeys.session(sessionId) }),
  })
  return (
    <section className="flex flex-col gap-2">
      <div className="flex items-end gap-2">
        <Field label={t.resizeKind} className="min-w-0 flex-1">
          {(control) => (
            <select {...control} value={type} onChange={(event) => setType(event.target.value)}>
              <option value="deep">{t.deep}</option>
              <option value="lite">{t.lite}</option>
            </select>
          )}
        </Field>
        <Button disabled={isPending} onClick={() => mutate()}>
          {t.resizeNow}
        </Button>
      </div>
      {error ? (
        <p role="alert" className="text-sm text-danger">
          {error.message}
        </p>
      ) : (
        data && <p className="text-sm text-muted">{outcome(data)}</p>
      )}
    </section>
  )
}
