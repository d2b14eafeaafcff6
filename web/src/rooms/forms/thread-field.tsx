import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ParleyError } from '../../../../src/client/index.ts'
import { useClient } from '../../api/api.tsx'
import { roomKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Field } from '../../ui/field.tsx'
import { roomFormTexts } from '../texts.ts'

interface Props {
  /** Its slug; empty for none. */
  value: string
  error?: string
  onChange(slug: string): void
}

const isNew = ' new'

export function useThreads(archived: 'true' | 'false' | 'all' = 'false') {
  const { threads } = useClient()
  const scope = useScope()
  return useQuery({
    queryKey: roomKeys.threads({ scope, archived }),
    queryFn: async () => (await threads.list({ scope, archived, limit: 200 })).items,
  })
}

/** Makes the thread when there is none of that name: a room can only join one that is there. */
export function useEnsureThread(): (slug: string) => Promise<void> {
  const { threads } = useClient()
  const scope = useScope()
  const { data: known } = useThreads()
  return async (slug) => {
    if (slug === '' || known?.some((thread) => thread.slug === slug)) return
    await threads.create({ scope, slug }).catch((error: unknown) => {
      // somebody else was faster, or it is archived: the room says so
      if (!(error instanceof ParleyError) || error.code !== 'conflict') throw error
    })
  }
}

/** What a room is grouped with: one of the threads that there are, or a new one. */
export function ThreadField({ value, error, onChange }: Props) {
  const t = useTexts(roomFormTexts)
  const { data: threads = [] } = useThreads()
  const [isTyping, setTyping] = useState(false)
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <Field label={t.thread} error={isTyping ? undefined : error}>
        {(control) => (
          <select
            {...control}
            value={isTyping ? isNew : value}
            onChange={({ target }) => {
              setTyping(target.value === isNew)
              onChange(target.value === isNew ? '' : target.value)
            }}
          >
            <option value="">{t.noThread}</option>
            {threads.map(({ slug, title }) => (
              <option key={slug} value={slug}>
                {title || slug}
              </option>
            ))}
            {!isTyping && value !== '' && !threads.some(({ slug }) => slug === value) && (
              <option>{value}</option>
            )}
            <option value={isNew}>{t.newThread}</option>
          </select>
        )}
      </Field>
      {isTyping && (
        <Field label={t.threadName} hint={t.threadHint} error={error}>
          {(control) => (
            <input
              {...control}
              autoCapitalize="none"
              spellCheck={false}
              value={value}
              onChange={({ target }) => onChange(target.value.trim())}
            />
          )}
        </Field>
      )}
    </div>
  )
}
