/** The days that were chosen, as they begin and end where the person is. What is no day is left for the server to refuse. */
export function toTimeRange({ from, to }: { from?: string; to?: string }): { from?: string; to?: string } {
  return {
    ...(from !== undefined && { from: startOf(from, 0) }),
    ...(to !== undefined && { to: startOf(to, 1) }),
  }
}

function startOf(day: string, later: number): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return day
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}
