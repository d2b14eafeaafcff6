import { X } from 'lucide-react'
import { useId } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import {
  memoryLayers,
  memoryStatuses,
  memoryTypes,
  problemOf,
  type MemoryFilter,
  type MemoryFilterName,
} from './memory-query.ts'
import { memoryTexts } from './texts.ts'

interface Props {
  filter: MemoryFilter
  onChange(patch: Partial<Record<MemoryFilterName, string>>, options?: { replace: boolean }): void
}

// what the server takes
const maxWords = 500

export function MemoryFilters({ filter, onChange }: Props) {
  const t = useTexts(memoryTexts)
  const problemId = useId()
  const { layer, type, status, session, q = '' } = filter
  const problem = problemOf(filter)
  return (
    <div role="search" aria-label={t.filters} className="flex flex-col gap-2">
      <div>
        <SearchBox
          label={t.search}
          clearLabel={t.clearSearch}
          maxLength={maxWords}
          dir="auto"
          value={q}
          onChange={(words) => onChange({ q: words || undefined }, { replace: true })}
          {...(problem && { 'aria-invalid': true, 'aria-describedby': problemId })}
        />
        {problem && (
          <p id={problemId} role="alert" className="mt-1 text-sm text-danger">
            {t[problem]}
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Choices
          label={t.layer}
          names={['any', ...memoryLayers]}
          words={{ any: t.anyLayer, ...t.layers }}
          value={layer ?? 'any'}
          onChange={(name) => onChange({ layer: name === 'any' ? undefined : name })}
        />
        <Choices
          label={t.status}
          names={memoryStatuses}
          words={t.statuses}
          value={status}
          onChange={(name) => onChange({ status: name === 'active' ? undefined : name })}
        />
        <select
          aria-label={t.type}
          value={type ?? ''}
          onChange={({ target }) => onChange({ type: target.value || undefined })}
          className="h-7 rounded-md border border-line bg-page px-1.5 text-sm"
        >
          <option value="">{t.anyType}</option>
          {memoryTypes.map((name) => (
            <option key={name} value={name}>
              {t.types[name]}
            </option>
          ))}
        </select>
        {session !== undefined && (
          <Button
            size="small"
            title={t.anySession}
            className="bg-selected!"
            onClick={() => onChange({ session: undefined })}
          >
            {t.ofSession}
            <X aria-hidden />
            <span className="sr-only">{t.anySession}</span>
          </Button>
        )}
      </div>
    </div>
  )
}

interface ChoicesProps<Name extends string> {
  label: string
  names: readonly Name[]
  words: Record<Name, string>
  value: Name
  onChange(name: Name): void
}

function Choices<Name extends string>({ label, names, words, value, onChange }: ChoicesProps<Name>) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1">
      {names.map((name) => (
        <Button
          key={name}
          size="small"
          variant="ghost"
          aria-pressed={name === value}
          className={name === value ? 'bg-selected!' : 'text-muted'}
          onClick={() => onChange(name)}
        >
          {words[name]}
        </Button>
      ))}
    </div>
  )
}
