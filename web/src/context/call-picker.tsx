import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { RunPage } from '../../../src/core/chat/run-operations.ts'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { IconButton } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { inputWords, isFromTasks, type Call } from './call.ts'
import { contextTexts } from './texts.ts'

interface Props {
  label: string
  runs: RunPage
  value: Call
  /** Of the run that is picked. */
  steps: number
  step?: number
  onChange(call: Call): void
}

/** Which turn, and which model call of it. */
export function CallPicker({ label, runs, value, steps, step, onChange }: Props) {
  const t = useTexts(contextTexts)
  const locale = localeOf(useLanguage())
  const order = [undefined, ...runs.items.map(({ id }) => id)]
  const place = order.indexOf(value.run)
  const timeOf = (time: string) =>
    new Date(time).toLocaleString(locale, { dateStyle: 'short', timeStyle: 'short' })
  const move = (by: number) => onChange({ run: order[place + by] })
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-end gap-1">
        <Field
          label={label}
          className="min-w-0 flex-1"
          hint={runs.nextCursor === null ? undefined : t.moreTurns}
        >
          {(control) => (
            <select
              {...control}
              value={value.run ?? ''}
              onChange={(event) => onChange({ run: event.target.value || undefined })}
            >
              <option value="">{t.now}</option>
              {runs.items.map((run) => (
                <option key={run.id} value={run.id}>
                  {timeOf(run.createdAt)} ·{' '}
                  {isFromTasks(run) ? t.tasksReported : inputWords(run) || t.noWords}
                </option>
              ))}
            </select>
          )}
        </Field>
        <IconButton label={t.earlier} disabled={place >= order.length - 1} onClick={() => move(1)}>
          <ChevronLeft />
        </IconButton>
        <IconButton label={t.later} disabled={place <= 0} onClick={() => move(-1)}>
          <ChevronRight />
        </IconButton>
      </div>
      {value.run !== undefined && steps > 1 && (
        <Field label={t.step}>
          {(control) => (
            <select
              {...control}
              value={step}
              onChange={(event) => onChange({ run: value.run, step: Number(event.target.value) })}
            >
              {Array.from({ length: steps }, (_, index) => index + 1).map((number) => (
                <option key={number} value={number}>
                  {t.stepOf(number, steps)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </div>
  )
}
