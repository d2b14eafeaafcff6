const units = ['byte', 'kilobyte', 'megabyte'] as const

/** "12 kB", as the language writes it. */
export function formatBytes(bytes: number, locale: string): string {
  const power = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power],
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1_000 ** power)
}
