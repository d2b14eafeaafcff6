/** A text as one line, so that nothing in it passes for a line of somebody else. */
export const toLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim()
