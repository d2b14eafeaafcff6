import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import type { ExportFormat } from '../../../src/core/protocol/session.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys, untilSearched } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { UnsearchedNote } from '../ui/unsearched-note.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
import { fileNameOf, saveFile } from '../ui/save-file.ts'
import { ExportAll } from './export-all.tsx'
import { settingsTexts } from './texts.ts'

const formats = ['json', 'yaml', 'jsonl', 'markdown'] as const

/** Saves a session as a file; which one is in the URL, so that other pages can lead here. */
export function ExportForm() {
  const t = useTexts(settingsTexts)
  const locale = localeOf(useLanguage())
  const client = useClient()
  const scope = useScope()
  const [{ session: chosen }, setSearch] = useSearchState<'session'>()
  const [words, setWords] = useState('')
  const [format, setFormat] = useState<ExportFormat>('json')
  const q = useDebounced(words.trim(), 250) || undefined
  const list = useQuery({
    queryKey: sessionKeys.sessions({ scope, q, limit: 100, archived: 'all' }),
    queryFn: () => client.sessions.list({ scope, q, limit: 100, archived: 'all' }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => untilSearched(state.data),
  })
  const named = useQuery({
    queryKey: [...sessionKeys.session(chosen ?? ''), 'named'],
    queryFn: () => client.sessions.get(chosen!, { scope }),
    enabled: chosen !== undefined,
  })
  const found = list.data?.items ?? []
  const isListed = found.some(({ id }) => id === chosen)
  const sessions = named.data && !isListed ? [named.data, ...found] : found
  const session = sessions.find(({ id }) => id === chosen) ?? sessions[0]
  const download = useMutation({
    mutationFn: async (id: string) => {
      const text = await client.sessions.export(id, { scope, format })
      saveFile(fileNameOf(session?.title || id, format), text)
    },
  })
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">{t.exportTitle}</h3>
      <p className="text-sm text-muted">{t.exportIntro}</p>
      {list.error ? (
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      ) : !list.data ? (
        <Loading />
      ) : (
        <form
          className="grid gap-3 sm:grid-cols-[1fr_2fr_auto_auto] sm:items-end"
          onSubmit={(event) => {
            event.preventDefault()
            if (session) download.mutate(session.id)
          }}
        >
          <Field label={t.exportSearch}>
            {(props) => (
              <input
                {...props}
                type="search"
                value={words}
                onChange={(event) => setWords(event.target.value)}
              />
            )}
          </Field>
          <Field label={t.exportSession} className="min-w-0">
            {(props) => (
              <select
                {...props}
                value={session?.id ?? ''}
                onChange={(event) => setSearch({ session: event.target.value }, { replace: true })}
              >
                {sessions.map(({ id, title, updatedAt }) => (
                  <option key={id} value={id}>
                    {(title || t.untitled).slice(0, 80)} · {new Date(updatedAt).toLocaleDateString(locale)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={t.exportFormat}>
            {(props) => (
              <select
                {...props}
                value={format}
                onChange={(event) => setFormat(event.target.value as ExportFormat)}
              >
                {formats.map((name) => (
                  <option key={name} value={name}>
                    {t.formats[name]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Button type="submit" variant="primary" disabled={!session || download.isPending}>
            <Download aria-hidden />
            {t.exportButton}
          </Button>
        </form>
      )}
      <UnsearchedNote indexing={list.data?.indexing} />
      {list.data && sessions.length === 0 && <Empty>{t.exportNone}</Empty>}
      <ExportAll />
      {download.error && (
        <p role="alert" className="text-sm text-danger">
          {download.error.message}
        </p>
      )}
    </section>
  )
}
