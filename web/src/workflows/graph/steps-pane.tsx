import { clsx } from 'clsx'
import { History, Network, Table2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import type { Definition } from '../definition.ts'
import { workflowTexts } from '../texts.ts'
import { StepGraph } from './step-graph.tsx'

export type StepsForm = 'graph' | 'table'

/** A drawing needs room; where there is none the table comes first. */
export function useStepsForm(chosen: string | undefined): StepsForm {
  const isNarrow = useMediaQuery('(max-width: 640px)')
  return chosen === 'graph' || chosen === 'table' ? chosen : isNarrow ? 'table' : 'graph'
}

interface Props {
  definition: Definition
  form: StepsForm
  onForm(form: StepsForm): void
  /** What the drawing shows, in rows. */
  table: ReactNode
  /** What one has to know of what is shown. */
  note?: ReactNode
  selected?: string
  onPick?(id: string): void
}

const forms = [
  ['graph', Network],
  ['table', Table2],
] as const

/** The steps of a definition, drawn or in a table. */
export function StepsPane({ definition, form, onForm, table, note, ...rest }: Props) {
  const t = useTexts(workflowTexts)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-2">
        <div role="group" aria-label={t.showAs} className="flex gap-1">
          {forms.map(([name, Icon]) => (
            <button
              key={name}
              type="button"
              aria-pressed={form === name}
              onClick={() => onForm(name)}
              className={clsx(
                'inline-flex h-7 items-center gap-1 rounded-md px-2 text-sm hover:bg-hover',
                form === name && 'bg-selected',
              )}
            >
              <Icon aria-hidden className="size-4" />
              {t[name]}
            </button>
          ))}
        </div>
        {note && (
          <p className="flex min-w-0 flex-1 items-center justify-end gap-1.5 text-sm text-warning">
            <History aria-hidden className="size-4 shrink-0" />
            <span className="truncate">{note}</span>
          </p>
        )}
      </div>
      <div className="min-h-0 flex-1">
        {form === 'graph' ? <StepGraph label={t.graphOf} definition={definition} {...rest} /> : table}
      </div>
    </div>
  )
}
