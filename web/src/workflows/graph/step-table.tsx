import { clsx } from 'clsx'
import { useTexts } from '../../shell/texts.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { allSteps, type Definition } from '../definition.ts'
import { useLaneWords } from '../lane-words.ts'
import { StepIcon, typeNameOf } from '../step-icons.ts'
import { workflowTexts } from '../texts.ts'

interface Props {
  definition: Definition
  selected?: string
  onPick?(id: string): void
}

/** What the graph shows, in rows. */
export function StepTable({ definition, selected, onPick }: Props) {
  const t = useTexts(workflowTexts)
  const toWords = useLaneWords()
  return (
    <ScrollRegion label={t.stepsTable} className="h-full">
      <table className="w-full text-sm">
        <thead className="text-start text-muted">
          <tr className="border-b border-line [&>th]:px-3 [&>th]:py-1.5 [&>th]:text-start [&>th]:font-medium [&>th]:whitespace-nowrap">
            <th scope="col">{t.step}</th>
            <th scope="col">{t.type}</th>
            <th scope="col">{t.within}</th>
            <th scope="col">{t.condition}</th>
            <th scope="col">{t.description}</th>
          </tr>
        </thead>
        <tbody>
          {allSteps(definition.steps).map(({ step, depth, cause }) => (
            <tr
              key={step.id}
              className={clsx(
                'border-b border-line align-top [&>td]:px-3 [&>td]:py-1.5',
                step.id === selected && 'bg-selected',
              )}
            >
              <td style={{ paddingInlineStart: 12 + depth * 16 }}>
                <button
                  type="button"
                  title={t.goToStep(step.id)}
                  className="max-w-48 min-w-16 truncate text-start font-medium text-accent underline underline-offset-2"
                  onClick={() => onPick?.(step.id)}
                >
                  {step.id}
                </button>
              </td>
              <td className="whitespace-nowrap">
                <StepIcon type={step.type} aria-hidden className="me-1 inline size-4 text-muted" />
                {typeNameOf(t.types, step.type)}
              </td>
              <td className="max-w-56 min-w-28 text-muted">{cause && toWords(cause)}</td>
              <td className="max-w-56 min-w-28 font-mono text-xs leading-5">
                {step.condition !== undefined && String(step.condition)}
              </td>
              <td className="min-w-40">{step.type === 'workflow' ? step.workflow : step.description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
