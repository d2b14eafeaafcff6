import { clsx } from 'clsx'
import { useId, useState, type KeyboardEvent } from 'react'
import type { TreeNode } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { controlStyle } from '../../ui/field.tsx'
import { isComposing } from '../../ui/on-enter.ts'
import { nodeTexts } from '../texts.ts'
import { matchesNode } from '../plan-tree.ts'
import { StatusMark } from '../status-mark.tsx'

interface Props {
  label: string
  nodes: readonly TreeNode[]
  excluded: ReadonlySet<number>
  onPick(id: number): void
  onClose(): void
}

// whoever wants another one types a word more
const mostShown = 50

/** Finds a node by its number or by words of its name. */
export function NodePicker({ label, nodes, excluded, onPick, onClose }: Props) {
  const t = useTexts(nodeTexts)
  const listId = useId()
  const [words, setWords] = useState('')
  const [active, setActive] = useState(0)
  const found = nodes
    .filter((node) => !excluded.has(node.id) && matchesNode(node, { words: words.trim() }))
    .slice(0, mostShown)
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = found[active]
    if (by !== undefined && found.length > 0) setActive((active + by + found.length) % found.length)
    else if (event.key === 'Enter' && chosen) onPick(chosen.id)
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="rounded-md border border-line bg-page p-1.5">
      <input
        // the person asked for this box a moment ago
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={found[active] && `${listId}-${active}`}
        placeholder={t.pickHint}
        autoComplete="off"
        value={words}
        onChange={(event) => {
          setWords(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        className={controlStyle}
      />
      <div id={listId} role="listbox" aria-label={label} className="mt-1 max-h-56 overflow-y-auto">
        {found.map((node, index) => (
          <button
            key={node.id}
            type="button"
            tabIndex={-1}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => onPick(node.id)}
            onMouseMove={() => setActive(index)}
            className={clsx(
              'flex w-full items-center gap-1.5 rounded px-1.5 py-1 text-start text-sm',
              index === active && 'bg-hover',
            )}
          >
            <StatusMark status={node.status} />
            <bdi className="min-w-0 flex-1 truncate">{node.name}</bdi>
            <span className="text-xs text-muted">#{node.id}</span>
          </button>
        ))}
      </div>
      {found.length === 0 && <p className="px-1.5 py-1 text-sm text-muted">{t.noneToPick}</p>}
    </div>
  )
}
