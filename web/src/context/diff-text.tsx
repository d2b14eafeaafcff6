import { clsx } from 'clsx'
import { useMemo, useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { contextTexts } from './texts.ts'
import type { DiffMode } from './mode-switch.tsx'
import { diffByLines, diffByWords, type DiffLine, type DiffSpan } from './text-diff.ts'

interface Props {
  label: string
  before: string
  after: string
  mode: DiffMode
}

// word by word nothing is left out, and a long text would hide its few changes
const longestByWords = 20_000
const maxLines = 400

/** Two texts in one: signs and strokes tell what was added and removed, the colour only helps. */
export function DiffText({ label, before, after, mode }: Props) {
  const t = useTexts(contextTexts)
  const [isWhole, setWhole] = useState(false)
  // where one side is empty there are no words to look for
  const isByWords =
    mode === 'words' && before !== '' && after !== '' && before.length + after.length <= longestByWords
  const lines = useMemo(() => (isByWords ? [] : diffByLines(before, after)), [isByWords, before, after])
  const spans = useMemo(() => (isByWords ? diffByWords(before, after) : []), [isByWords, before, after])
  return (
    <pre
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
      tabIndex={0}
      className="max-h-96 overflow-auto bg-page p-2 font-mono text-xs whitespace-pre-wrap"
    >
      {isByWords
        ? [...spans.entries()].map(([place, span]) => <Span key={place} {...span} />)
        : [...lines.slice(0, isWhole ? undefined : maxLines).entries()].map(([place, line]) => (
            <Line key={place} {...line} />
          ))}
      {!isWhole && lines.length > maxLines && (
        <Button size="small" className="my-1" onClick={() => setWhole(true)}>
          {t.showLines(lines.length - maxLines)}
        </Button>
      )}
    </pre>
  )
}

const elements = { added: 'ins', removed: 'del', same: 'span' } as const
const colours = { added: 'bg-added', removed: 'bg-removed', same: '' }

function Span({ kind, text }: DiffSpan) {
  const Element = elements[kind]
  return (
    <Element
      className={clsx(
        colours[kind],
        kind === 'added' && 'underline decoration-2 underline-offset-2',
        kind === 'removed' && 'line-through',
      )}
    >
      {text}
    </Element>
  )
}

const signs = { added: '+', removed: '−', same: ' ' }

function Line({ kind, text, count }: DiffLine) {
  const t = useTexts(contextTexts)
  if (kind === 'gap')
    return <span className="my-1 block text-center text-muted italic">{`⋯ ${t.gap(count!)} ⋯`}</span>
  const Element = elements[kind]
  return (
    <Element className={clsx('flex no-underline', colours[kind])}>
      <span aria-hidden className="w-4 shrink-0 select-none">
        {signs[kind]}
      </span>
      <span className="min-w-0">{text || ' '}</span>
    </Element>
  )
}
