import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pin, PinOff } from 'lucide-react'
import type { MemoView } from '../../../src/core/protocol/window.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { IconButton } from '../ui/button.tsx'
import { Tag } from '../ui/tag.tsx'
import { contextTexts } from './texts.ts'

interface Props {
  sessionId: string
  memo: MemoView
}

/** The memo as it can be read, key by key. */
export function MemoContent({ sessionId, memo: { memo, pinned, version } }: Props) {
  const t = useTexts(contextTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (next: string[]) =>
      client.sessions.setMemo(sessionId, { scope, pinned: next, baseVersion: version }),
    onSettled: () => void queries.invalidateQueries({ queryKey: sessionKeys.session(sessionId) }),
  })
  return (
    <div className="flex flex-col gap-3">
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error.message}
        </p>
      )}
      {Object.entries(memo).map(([key, value]) => {
        const isPinned = pinned.includes(key)
        const toggled = isPinned ? pinned.filter((other) => other !== key) : [...pinned, key]
        return (
          <section key={key} className="rounded-md border border-line bg-raised">
            <div className="flex items-center gap-2 border-b border-line py-0.5 pr-1 pl-3">
              <h3 className="min-w-0 flex-1 font-mono text-sm font-medium">{key}</h3>
              {isPinned && <Tag>{t.pinned}</Tag>}
              <IconButton
                size="small"
                label={isPinned ? t.unpin(key) : t.pin(key)}
                aria-pressed={isPinned}
                disabled={isPending}
                onClick={() => mutate(toggled)}
              >
                {isPinned ? <PinOff /> : <Pin />}
              </IconButton>
            </div>
            <div className="px-3 py-2 text-sm">
              <Value value={value} />
            </div>
          </section>
        )
      })}
    </div>
  )
}

function Value({ value }: { value: unknown }) {
  if (Array.isArray(value))
    return (
      <ul className="list-disc space-y-0.5 pl-4">
        {[...value.entries()].map(([place, entry]) => (
          <li key={place}>
            <Value value={entry} />
          </li>
        ))}
      </ul>
    )
  if (typeof value === 'object' && value !== null)
    return (
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
        {Object.entries(value).map(([name, entry]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0">
              <Value value={entry} />
            </dd>
          </div>
        ))}
      </dl>
    )
  return <span className="whitespace-pre-wrap">{String(value)}</span>
}
