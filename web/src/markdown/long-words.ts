const hasLongWord = (text: string) => /\S{500}/.test(text)

/**
 * A word of thousands of letters is broken in the middle, line by line; with kerning the browser shapes the rest of it
 * anew for each line, and stands still for half a minute.
 */
export const classForLongWords = (text: string): string | undefined =>
  hasLongWord(text) ? '[font-kerning:none] [font-variant-ligatures:none]' : undefined
