import { useId } from 'react'
import { localeOf, useLanguage, useTexts, type Language } from '../shell/texts.ts'
import { Field } from '../ui/field.tsx'
import { cronsTexts } from './texts.ts'
import { scheduleKinds, toLine, type ScheduleDraft, type ScheduleKind } from './schedule-draft.ts'

interface Props {
  schedule: ScheduleDraft
  timeZone: string
  errors: { schedule?: string; timeZone?: string }
  onSchedule(schedule: ScheduleDraft): void
  onTimeZone(timeZone: string): void
}

/** When: of a few kinds with their own controls, or as a line; and on whose clocks. */
export function ScheduleField({ schedule, timeZone, errors, onSchedule, onTimeZone }: Props) {
  const t = useTexts(cronsTexts)
  const zonesId = useId()
  const { kind } = schedule
  const change = (patch: Partial<ScheduleDraft>) => onSchedule({ ...schedule, ...patch })
  const setKind = (next: ScheduleKind) =>
    // a line begins with what was chosen up to now
    change({ kind: next, ...(next === 'line' && { line: toLine(schedule) }) })
  return (
    <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
      <Field label={t.when} error={kind === 'line' ? undefined : errors.schedule}>
        {(props) => (
          <select {...props} value={kind} onChange={(event) => setKind(event.target.value as ScheduleKind)}>
            {scheduleKinds.map((name) => (
              <option key={name} value={name}>
                {t.kinds[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Moment schedule={schedule} error={errors.schedule} onChange={change} />
      <Field label={t.timeZone} hint={t.zoneHint} error={errors.timeZone} className="sm:col-span-2">
        {(props) => (
          <input
            {...props}
            list={zonesId}
            spellCheck={false}
            autoComplete="off"
            value={timeZone}
            onChange={(event) => onTimeZone(event.target.value)}
          />
        )}
      </Field>
      <datalist id={zonesId}>
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </datalist>
    </div>
  )
}

interface MomentProps {
  schedule: ScheduleDraft
  error?: string
  onChange(patch: Partial<ScheduleDraft>): void
}

/** The values that the kind needs. */
function Moment({ schedule, error, onChange }: MomentProps) {
  const t = useTexts(cronsTexts)
  const language = useLanguage()
  const { kind } = schedule
  if (kind === 'line')
    return (
      <Field label={t.line} hint={error === undefined ? t.lineHint : undefined} error={error}>
        {(props) => (
          <input
            {...props}
            className={`${props.className} font-mono`}
            spellCheck={false}
            autoComplete="off"
            value={schedule.line}
            onChange={(event) => onChange({ line: event.target.value })}
          />
        )}
      </Field>
    )
  if (kind === 'once')
    return (
      <Field label={t.at} hint={schedule.at === '' ? t.timeMissing : undefined}>
        {(props) => (
          <input
            {...props}
            type="datetime-local"
            value={schedule.at}
            onChange={(event) => onChange({ at: event.target.value.slice(0, 16) })}
          />
        )}
      </Field>
    )
  if (kind === 'hourly')
    return (
      <Choice
        label={t.minute}
        value={schedule.minute}
        options={numbers(0, 59).map((minute) => [minute, minute.padStart(2, '0')])}
        onChange={(minute) => onChange({ minute })}
      />
    )
  return (
    <div className="grid grid-cols-[1fr_auto] gap-3">
      {kind === 'weekly' && (
        <Choice
          label={t.weekday}
          value={schedule.weekday}
          options={numbers(0, 6).map((day) => [day, weekdayName(Number(day), language)])}
          onChange={(weekday) => onChange({ weekday })}
        />
      )}
      {kind === 'monthly' && (
        <Choice
          label={t.day}
          value={schedule.day}
          options={[...numbers(1, 31).map((day) => [day, day] as const), ['L', t.lastDay]]}
          onChange={(day) => onChange({ day })}
        />
      )}
      <Field label={t.time} className={kind === 'weekly' || kind === 'monthly' ? '' : 'col-span-2'}>
        {(props) => (
          <input
            {...props}
            type="time"
            required
            value={schedule.time}
            onChange={(event) =>
              event.target.value !== '' && onChange({ time: event.target.value.slice(0, 5) })
            }
          />
        )}
      </Field>
    </div>
  )
}

interface ChoiceProps {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChange(value: string): void
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index))

/** 2026-11-15 was a Sunday. */
const weekdayName = (day: number, language: Language) =>
  new Intl.DateTimeFormat(localeOf(language), { weekday: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2026, 10, 15 + day),
  )
