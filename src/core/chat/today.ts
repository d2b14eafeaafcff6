/** A day as a prompt says it: `Monday, 2026-01-05 (Europe/Berlin)`. Without a zone, by the clock of the machine. */
export function createToday(timeZone?: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const zone = timeZone ?? format.resolvedOptions().timeZone
  return (time) => {
    const { weekday, year, month, day } = Object.fromEntries(
      format.formatToParts(time).map(({ type, value }) => [type, value]),
    )
    return `${weekday}, ${year}-${month}-${day} (${zone})`
  }
}
