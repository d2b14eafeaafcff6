import { useState, type ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useTexts } from '../shell/texts.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Field } from '../ui/field.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { settingsTexts } from './texts.ts'

interface Listing<Item> {
  items: Item[]
  problems?: { source: string; message: string }[]
}

interface Props<Item> {
  intro: string
  /** Said where there is nothing. */
  none: string
  query: UseQueryResult<Listing<Item>>
  /** Different for each item, and what the filter looks at. */
  toText(item: Item): string
  children(item: Item): ReactNode
}

// fewer are seen at a glance
const filteredFrom = 8

/** A list of what is loaded, with what is wrong with it; nothing is changed here. */
export function CatalogueView<Item>({ intro, none, query, toText, children }: Props<Item>) {
  const t = useTexts(settingsTexts)
  const [filter, setFilter] = useState('')
  const { data, error, refetch } = query
  const found = data?.items.filter((item) => toText(item).toLowerCase().includes(filter.trim().toLowerCase()))
  return (
    <>
      <p className="text-muted">{intro}</p>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : data.items.length === 0 ? (
        <Empty>{none}</Empty>
      ) : (
        <>
          {data.items.length >= filteredFrom && (
            <Field label={t.filter}>
              {(props) => (
                <input
                  {...props}
                  type="search"
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                />
              )}
            </Field>
          )}
          {found?.length === 0 && <Empty>{t.noneFits}</Empty>}
          <ul className="divide-y divide-line">
            {found?.map((item) => (
              <li key={toText(item)} className="flex flex-col gap-1 py-2.5">
                {children(item)}
              </li>
            ))}
          </ul>
        </>
      )}
      {data?.problems !== undefined && data.problems.length > 0 && (
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold text-warning">{t.problems}</h3>
          <ul className="divide-y divide-line rounded-lg border border-line">
            {data.problems.map(({ source, message }) => (
              <li key={`${source}\n${message}`} className="px-3 py-2 text-sm">
                <SourcePath source={source} />
                <p>{message}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** The file that has to be edited. */
export function SourcePath({ source }: { source: string }) {
  const t = useTexts(settingsTexts)
  if (source === 'built-in') return <span className="text-sm text-muted">{t.builtIn}</span>
  return (
    <span className="flex items-center gap-1 text-sm">
      <code className="text-muted">
        <bdi>{source}</bdi>
      </code>
      <CopyButton text={source} label={t.copyPath(source)} />
    </span>
  )
}
