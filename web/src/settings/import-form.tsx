import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useState } from 'react'
import type { ImportProgress } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { ImportResult } from './import-result.tsx'
import { settingsTexts } from './texts.ts'

/** Takes all conversations of a file. The server finds out what it is, and says where it is wrong. */
export function ImportForm() {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const [file, setFile] = useState<File>()
  const [progress, setProgress] = useState<ImportProgress>()
  const { mutate, data, error, isPending, reset } = useMutation({
    async mutationFn(given: File) {
      // a file that has gone fails in the middle of a request, with nothing that says why
      await given
        .slice(0, 1)
        .arrayBuffer()
        .catch(() => {
          throw new Error(t.fileUnreadable)
        })
      return client.sessions.importFile(given, { scope, onProgress: setProgress })
    },
    onSuccess(report) {
      announce(t.importedAll(report.sessions.added + report.sessions.extended))
      void queries.invalidateQueries({ queryKey: ['sessions'] })
    },
    onSettled: () => setProgress(undefined),
  })
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">{t.importTitle}</h3>
      <p className="text-sm text-muted">
        {t.importIntro} {t.importDocs}
      </p>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (file) mutate(file)
        }}
      >
        <Field label={t.importFile} className="min-w-60 flex-1">
          {(props) => (
            <input
              {...props}
              className={clsx(
                props.className,
                'file:mr-3 file:rounded file:border-0 file:bg-hover file:px-2 file:text-text',
              )}
              type="file"
              accept=".zip,.json,.jsonl,.ndjson,.yaml,.yml,.md,.markdown,.txt,.log"
              onChange={(event) => {
                reset()
                setFile(event.target.files?.[0])
              }}
            />
          )}
        </Field>
        <Button type="submit" variant="primary" disabled={!file || isPending}>
          {isPending ? t.importing : t.importButton}
        </Button>
      </form>
      {progress && (
        <div className="flex flex-col gap-1 text-sm">
          <progress
            className="w-full"
            max={progress.conversations}
            value={progress.done}
            aria-label={t.importing}
          />
          <p className="text-muted">{t.importProgress(progress.done, progress.conversations)}</p>
        </div>
      )}
      {error && (
        <div role="alert" className="rounded-md border border-line bg-removed p-3 text-sm">
          <p className="font-medium">{t.importFailed(file?.name ?? t.importFile)}</p>
          <p className="whitespace-pre-wrap">
            <bdi>{error.message}</bdi>
          </p>
        </div>
      )}
      {data && <ImportResult report={data} name={file?.name ?? t.importFile} />}
    </section>
  )
}
