import { clsx } from 'clsx'
import { AtSign, File, Folder, MessageSquare, SquareSlash, type LucideIcon } from 'lucide-react'
import { useEffect } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { Tag } from '../../ui/tag.tsx'
import type { Option } from './completion.ts'
import { composerTexts } from '../texts.ts'

interface Props {
  id: string
  options: readonly Option[]
  active: number
  onPick(option: Option): void
}

const icons: Record<Option['kind'], LucideIcon> = {
  command: SquareSlash,
  file: File,
  folder: Folder,
  session: MessageSquare,
  agent: AtSign,
}

export const optionId = (listId: string, index: number) => `${listId}-${index}`

/** What can be picked. The focus stays in the box, which says which one is meant. */
export function OptionList({ id, options, active, onPick }: Props) {
  const t = useTexts(composerTexts)
  const activeId = optionId(id, active)
  useEffect(() => {
    document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t.suggestions}
      className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-64 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-popup"
    >
      {options.map((option, index) => {
        const Icon = icons[option.kind]
        return (
          <button
            key={option.id}
            type="button"
            id={optionId(id, index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            // the box must keep the focus
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onPick(option)}
            className={clsx(
              'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm',
              index === active ? 'bg-selected' : 'hover:bg-hover',
            )}
          >
            {option.avatar ? (
              <span aria-hidden className="w-4 shrink-0 overflow-hidden text-center leading-none">
                {option.avatar}
              </span>
            ) : (
              <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            )}
            <span dir="auto" className="min-w-0 shrink truncate font-medium">
              {option.label}
            </span>
            <span dir="auto" className="min-w-0 flex-1 truncate text-muted">
              {option.detail}
            </span>
            <Tag className="max-w-40 truncate text-muted">{option.badge ?? t[badgeOf(option.kind)]}</Tag>
          </button>
        )
      })}
    </div>
  )
}

const badgeOf = (kind: Option['kind']) => (kind === 'command' ? 'builtIn' : kind)
