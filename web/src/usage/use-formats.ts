import { localeOf, useLanguage } from '../app/texts.ts'

/** Numbers as the language writes them. */
export function useFormats() {
  const locale = localeOf(useLanguage())
  const large = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  // a call can cost far less than a hundredth
  const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
  return {
    count: new Intl.NumberFormat(locale).format,
    share: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format,
    money: (value: number) => (value < 1 ? small : large).format(value),
  }
}
