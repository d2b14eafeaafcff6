import { Popover } from '@base-ui/react/popover'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { useId, useState, type KeyboardEvent } from 'react'
import { useClient } from '../../api/api.tsx'
import { catalogueKeys } from '../../api/catalogue-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { controlStyle } from '../../ui/field.tsx'
import { isComposing } from '../../ui/on-enter.ts'
import { Tag } from '../../ui/tag.tsx'
import { composerTexts } from '../texts.ts'
import { toModelChoices, type ModelChoice } from './model-choices.ts'

interface Props {
  /** Undefined: the default of the scope. */
  model: string | undefined
  onChange(model: string | undefined): void
}

/** Which model answers: one of those the server knows, or any other by its name. */
export function ModelPicker({ model, onChange }: Props) {
  const t = useTexts(composerTexts)
  const client = useClient()
  const scope = useScope()
  const [isOpen, setOpen] = useState(false)
  const { data, isError } = useQuery({
    queryKey: [...catalogueKeys.models(), scope],
    queryFn: () => client.models.list({ scope }),
    retry: false,
  })
  const name = model ?? data?.default ?? t.modelPlain
  const pick = (id: string | undefined) => {
    setOpen(false)
    if (id !== model) onChange(id)
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        render={
          <Button
            size="small"
            variant="ghost"
            aria-label={t.modelOf(name)}
            className="min-w-0 shrink! font-normal! text-muted"
          />
        }
      >
        <span className="max-w-32 truncate sm:max-w-56">{name}</span>
        <ChevronDown aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="top" align="start" sideOffset={6} className="z-50">
          <Popover.Popup
            aria-label={t.model}
            className="w-80 max-w-[calc(100vw-1.5rem)] rounded-lg border border-line bg-raised p-2 shadow-popup outline-none"
          >
            <Choices model={model} models={data} onPick={pick} />
            {isError && <p className="px-1 pt-2 text-sm text-muted">{t.modelsFailed}</p>}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface ChoicesProps {
  model: string | undefined
  models: Parameters<typeof toModelChoices>[0]
  onPick(id: string | undefined): void
}

function Choices({ model, models, onPick }: ChoicesProps) {
  const t = useTexts(composerTexts)
  const listId = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const choices = toModelChoices(models, query)
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = choices[active]
    if (by !== undefined && choices.length > 0) setActive((active + by + choices.length) % choices.length)
    else if (event.key === 'Enter' && chosen) onPick(chosen.id)
    else return
    event.preventDefault()
  }
  const nameOf = (choice: ModelChoice) => {
    if (choice.kind === 'default') return choice.name ? t.modelDefault(choice.name) : t.modelPlain
    return choice.kind === 'typed' ? t.modelUse(choice.name) : choice.name
  }
  return (
    <>
      <input
        role="combobox"
        aria-label={t.model}
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={choices[active] && `${listId}-${active}`}
        placeholder={t.modelSearch}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        className={controlStyle}
      />
      <div id={listId} role="listbox" aria-label={t.model} className="mt-1 max-h-64 overflow-y-auto">
        {choices.map((choice, index) => (
          <button
            key={choice.key}
            type="button"
            tabIndex={-1}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={choice.kind !== 'typed' && choice.id === model}
            onClick={() => onPick(choice.id)}
            onMouseMove={() => setActive(index)}
            className={clsx(
              'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm',
              index === active && 'bg-hover',
              choice.kind !== 'typed' && choice.id === model && 'font-semibold',
            )}
          >
            <span className="min-w-0 flex-1 truncate">{nameOf(choice)}</span>
            {choice.reason && (
              <Tag title={choice.reason} className="text-muted">
                {t.modelUnavailable}
              </Tag>
            )}
          </button>
        ))}
      </div>
    </>
  )
}
