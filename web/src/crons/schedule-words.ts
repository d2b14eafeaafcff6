import { useQuery } from '@tanstack/react-query'
import { localeOf, useLanguage, useTexts, type Language } from '../shell/texts.ts'
import { cronsTexts } from './texts.ts'

type Describe = (line: string) => string

/** A schedule as a person would say it; the line itself where there are no words for it. */
export function useScheduleWords(): (schedule: string, timeZone: string) => string {
  const t = useTexts(cronsTexts)
  const language = useLanguage()
  const { data: describe } = useQuery({
    queryKey: ['schedule-words', language],
    queryFn: () => loadWords(language),
    staleTime: Infinity,
  })
  return (schedule, timeZone) => {
    const time = /^once:(.*)$/.exec(schedule)?.[1]
    if (time !== undefined) return t.onceAt(formatOnce(time, timeZone, language))
    return describe?.(schedule) ?? schedule
  }
}

/** Loaded when a schedule is first shown: it is half as large as the page. */
export async function loadWords(language: Language): Promise<Describe> {
  const { default: cronstrue } = await import('cronstrue')
  if (language === 'zh') await import('cronstrue/locales/zh_CN')
  const locale = language === 'zh' ? 'zh_CN' : 'en'
  return (line) => {
    try {
      return tidy(cronstrue.toString(line, { locale, use24HourTimeFormat: true, verbose: false }), language)
    } catch {
      return line // what it does not know, such as "+MON", the server does
    }
  }
}

const dayTime = /^(?:At|在) ?(\d\d:\d\d(?::\d\d)?(?:(?:,| and| 和) \d\d:\d\d(?::\d\d)?)*)(?:, (.+))?$/

/** Its words leave out "every day", and its Chinese is in the order of English. */
function tidy(words: string, language: Language): string {
  const [, times, days] = dayTime.exec(words) ?? []
  if (language === 'en') return times !== undefined && days === undefined ? `Every day at ${times}` : words
  const plain = (text: string) => text.replaceAll(', ', '，').replaceAll(/ {2,}/g, ' ')
  if (times === undefined) return plain(words)
  return `${plain(days ?? '每天')
    .replaceAll('限', '')
    .replaceAll('仅', '每')} ${plain(times)}`
}

/** Without an offset it is a time of the zone already. */
function formatOnce(time: string, timeZone: string, language: Language): string {
  if (/(Z|[+-]\d\d:\d\d)$/.test(time)) return formatInZone(time, timeZone, language)
  const date = new Date(`${time}Z`)
  return Number.isNaN(date.getTime()) ? time : formatInZone(date.toISOString(), 'UTC', language)
}

/** An instant as the clocks of a zone show it. */
export function formatInZone(
  at: string,
  timeZone: string,
  language: Language,
  options: Intl.DateTimeFormatOptions = {},
): string {
  const date = new Date(at)
  const format = (zone: string | undefined) =>
    new Intl.DateTimeFormat(localeOf(language), {
      timeZone: zone,
      weekday: 'short',
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      ...(date.getUTCSeconds() > 0 && { second: '2-digit' }),
      ...options,
    }).format(date)
  try {
    return format(timeZone)
  } catch {
    return `${format('UTC')} UTC` // a zone that the server knows and this browser does not
  }
}
