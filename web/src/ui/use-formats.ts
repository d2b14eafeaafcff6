import { localeOf, useLanguage } from '../shell/texts.ts'

type Formats = ReturnType<typeof createFormats>

// they take long to make, and a list asks in every row
const known = new Map<string, Formats>()

/** Numbers as the language writes them. */
export function useFormats(): Formats {
  const locale = localeOf(useLanguage())
  const formats = known.get(locale) ?? createFormats(locale)
  known.set(locale, formats)
  return formats
}

function createFormats(locale: string) {
  const large = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  // a call can cost far less than a hundredth
  const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
  return {
    count: new Intl.NumberFormat(locale).format,
    share: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format,
    money: (value: number) => (value < 1 ? small : large).format(value),
  }
}
