import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ParleyError } from '../../../src/client/index.ts'
import type { MemoView } from '../../../src/core/protocol/window.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { contextTexts } from './texts.ts'
import { keysOf, readMemo } from './memo-draft.ts'

interface Props {
  sessionId: string
  /** The newest version, which may become a newer one while it is edited. */
  memo: MemoView
  onClose(): void
}

const toJson = (memo: unknown) => JSON.stringify(memo, undefined, 2)

/** The memo as JSON. Another version that came meanwhile is never overwritten without a word. */
export function MemoEditor({ sessionId, memo, onClose }: Props) {
  const t = useTexts(contextTexts)
  const app = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const [text, setText] = useState(() => toJson(memo.memo))
  const [base, setBase] = useState(memo.version)
  const [problem, setProblem] = useState<string>()
  const save = useMutation({
    mutationFn: (edited: { memo: MemoView['memo']; baseVersion: number }) =>
      client.sessions.setMemo(sessionId, { scope, ...edited }),
    onSuccess() {
      announce(t.saved)
      onClose()
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: sessionKeys.session(sessionId) }),
  })
  const submit = (baseVersion: number) => {
    const read = readMemo(text)
    if ('memo' in read) {
      setProblem(undefined)
      save.mutate({ memo: read.memo, baseVersion })
    } else setProblem(read.problem === 'not-json' ? t.notJson(read.reason) : t.notObject)
  }
  const isConflict = memo.version !== base
  const refusal =
    save.error instanceof ParleyError && save.error.code === 'conflict' ? undefined : save.error?.message
  const takeNewest = () => {
    setText(toJson(memo.memo))
    setBase(memo.version)
    setProblem(undefined)
    save.reset()
  }
  return (
    <Dialog
      wide
      title={t.editMemoTitle}
      onClose={onClose}
      actions={
        isConflict ? (
          <>
            <Button onClick={takeNewest}>{t.takeNewest}</Button>
            <Button variant="danger" disabled={save.isPending} onClick={() => submit(memo.version)}>
              {t.saveAnyway}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>{app.cancel}</Button>
            <Button variant="primary" disabled={save.isPending} onClick={() => submit(base)}>
              {t.save}
            </Button>
          </>
        )
      }
    >
      {isConflict && (
        <p role="alert" className="mb-3 rounded-md border border-line bg-mark p-2 text-sm">
          {t.conflict(memo.version)}
        </p>
      )}
      <Field
        label={t.memoJson}
        hint={keysOf(memo.schema).length > 0 ? t.memoJsonHint(keysOf(memo.schema).join(', ')) : undefined}
        error={problem ?? refusal}
      >
        {(control) => (
          <textarea
            {...control}
            rows={16}
            spellCheck={false}
            className={`${control.className} font-mono text-sm`}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </Dialog>
  )
}
