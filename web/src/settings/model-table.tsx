import { useState } from 'react'
import type { Model } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { Empty } from '../ui/states.tsx'
import { Tag } from '../ui/tag.tsx'
import { useFormats } from '../ui/use-formats.ts'
import { settingsTexts } from './texts.ts'

// a provider may list hundreds; nobody reads them all
const most = 100

/** What is known of a model; nothing where nothing is. */
function Facts({ contextWindow, input, price }: Pick<Model, 'contextWindow' | 'input' | 'price'>) {
  const t = useTexts(settingsTexts)
  const { count } = useFormats()
  const facts = [
    contextWindow && t.contextWindow(count(contextWindow)),
    input?.map((one) => t.modalities[one]).join(', '),
    price && t.price(count(price.input), count(price.output)),
  ].filter(Boolean)
  return facts.length > 0 && <p className="text-muted">{facts.join(' · ')}</p>
}

export function ModelTable({ models }: { models: readonly Model[] }) {
  const t = useTexts(settingsTexts)
  const [filter, setFilter] = useState('')
  const words = filter.toLowerCase().split(/\s+/)
  const found = models.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)))
  return (
    <>
      <Field label={t.filterModels}>
        {(props) => (
          <input
            {...props}
            type="search"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
      </Field>
      {found.length === 0 ? (
        <Empty>{t.noModels}</Empty>
      ) : (
        <table className="w-full text-sm [&_td]:px-2 [&_td]:py-1.5 [&_th]:px-2 [&_th]:py-1.5 [&_th]:font-medium">
          <thead className="border-b border-line text-left text-muted">
            <tr>
              <th scope="col">{t.model}</th>
              <th scope="col">{t.availability}</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {found.slice(0, most).map(({ id, available, reason, ...facts }) => (
              <tr key={id}>
                <td className="align-top">
                  <bdi>{id}</bdi>
                  <Facts {...facts} />
                </td>
                <td>
                  <Tag state={available ? 'completed' : 'plain'}>
                    {available ? t.available : t.notAvailable}
                  </Tag>
                  {reason !== undefined && <p className="text-muted">{reason}</p>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > most && <p className="text-sm text-muted">{t.moreModels(found.length - most)}</p>}
    </>
  )
}
