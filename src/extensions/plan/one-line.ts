/** As names and lines of an outline have to be: blanks and control characters in a row are one blank. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
