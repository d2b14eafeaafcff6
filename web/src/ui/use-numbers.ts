import { localeOf, useLanguage } from '../shell/texts.ts'

/** Numbers as they are written in the language of the page. */
export function useNumbers(): { count(value: number): string; money(value: number): string } {
  const locale = localeOf(useLanguage())
  return {
    count: (value) => value.toLocaleString(locale),
    // a call often costs less than a cent
    money: (value) =>
      value.toLocaleString(locale, { style: 'currency', currency: 'USD', maximumSignificantDigits: 3 }),
  }
}
