/** So much is kept of a message, a plan or a report. */
export const maxWords = 20_000

/** The beginning of a text; what is missing is said. */
export function bounded(text: string, limit = maxWords): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit).toWellFormed()}\n… (${text.length - limit} more characters are left out)`
}

/** The same of its end, where programs say what went wrong. */
export function boundedEnd(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `(${text.length - limit} characters before this are left out) …\n${text.slice(-limit).toWellFormed()}`
}
