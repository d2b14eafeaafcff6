/** A form in which all ways to write a name are the same: `Ｍｉｌｋ` is `milk`. */
export const foldName = (name: string): string =>
  isPlain(name) ? name.toLowerCase() : (name.match(letters) ?? []).map(foldLetter).join('')

// most names are, and the rest takes a hundred times as long
const isPlain = (name: string) => /^[\w-]*$/.test(name)

/** A letter with what joins it: marks, parts of Hangul, the voicing of half-width kana. */
export const letters = /[^][\p{M}\u1160-\u11ff\uff9e\uff9f]*/gu

// both cases, since some letters have more than one lower case
export const foldLetter = (letter: string): string =>
  letter.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
