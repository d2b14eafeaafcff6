/** The beginning of a text that is longer than the limit, and a mark that it was; never half a character. */
export const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`
