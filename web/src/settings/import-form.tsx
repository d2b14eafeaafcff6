import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { SessionLink } from '../ui/session-link.tsx'
import { settingsTexts } from './texts.ts'

/** Takes a file as a session. The server reads it by its content, and says where it is wrong. */
export function ImportForm() {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const [file, setFile] = useState<File>()
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: async (given: File) => {
      const text = await given.text().catch(() => {
        throw new Error(t.fileUnreadable)
      })
      return client.sessions.import(text, { scope })
    },
    onSuccess({ title }) {
      announce(t.imported(title || t.untitled))
      void queries.invalidateQueries({ queryKey: ['sessions'] })
    },
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
              accept=".json,.jsonl,.ndjson,.yaml,.yml,.md,.markdown,.txt,.log"
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
      {error && (
        <div role="alert" className="rounded-md border border-line bg-removed p-3 text-sm">
          <p className="font-medium">{t.importFailed(file?.name ?? t.importFile)}</p>
          <p className="whitespace-pre-wrap">
            <bdi>{error.message}</bdi>
          </p>
        </div>
      )}
      {data && (
        <p className="rounded-md border border-line bg-added p-3 text-sm">
          {t.imported(data.title || t.untitled)} <SessionLink sessionId={data.id}>{t.importOpen}</SessionLink>
        </p>
      )}
    </section>
  )
}
