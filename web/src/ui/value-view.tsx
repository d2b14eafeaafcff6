import { clsx } from 'clsx'
import { useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { ScrollBox } from './scroll-box.tsx'
import { appTexts } from '../shell/shell-texts.ts'

interface Props {
  label: string
  value: unknown
  isError?: boolean
}

// about two screens; more is asked for
const maxShown = 4_000

/** What went into a tool or came out of it: words as they are, everything else as JSON. */
export function ValueView({ label, value, isError = false }: Props) {
  const t = useTexts(appTexts)
  const [showsAll, setShowsAll] = useState(false)
  const text = toText(value)
  const isCut = !showsAll && text.length > maxShown
  return (
    <section className="border-t border-line px-3 py-2">
      <div className="flex h-6 items-center justify-between">
        <h4 className="text-xs font-medium text-muted">{label}</h4>
        <CopyButton text={text} />
      </div>
      <ScrollBox label={label} className="max-h-72">
        <pre
          className={clsx(
            'font-mono text-[13px] leading-5 wrap-anywhere whitespace-pre-wrap',
            isError && 'text-danger',
          )}
        >
          {text === '' ? t.noOutput : isCut ? `${text.slice(0, maxShown)}…` : text}
        </pre>
      </ScrollBox>
      {isCut && (
        <Button size="small" className="mt-1" onClick={() => setShowsAll(true)}>
          {t.showAll(text.length.toLocaleString())}
        </Button>
      )}
    </section>
  )
}

export const toText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value, null, 2)
