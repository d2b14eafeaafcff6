/**
 * What a name looks like to somebody who reads it: without case, forms of letters, accents, white space, punctuation
 * and what cannot be seen, and with the Latin letter in place of one that is drawn like it. Two names that a reader
 * would take for one have the same form.
 */
export function visualForm(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}\p{M}]+|[\u0300-\u036f\p{Default_Ignorable_Code_Point}]+/gu, '')
    // both cases, since some letters have more than one lower case
    .toUpperCase()
    .toLowerCase()
  // a name of signs alone is what it is
  if (plain === '') return name.normalize('NFKC').trim()
  return Array.from(plain, (letter) => latin.get(letter) ?? letter).join('')
}

/** Cyrillic, Greek and small letters that pass for Latin ones. */
const drawnAlike = {
  а: 'a',
  в: 'b',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  н: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  м: 'm',
  о: 'o',
  р: 'p',
  ԛ: 'q',
  ѕ: 's',
  т: 't',
  ѵ: 'v',
  ԝ: 'w',
  х: 'x',
  у: 'y',
  α: 'a',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  ᴀ: 'a',
  ʙ: 'b',
  ᴄ: 'c',
  ᴅ: 'd',
  ᴇ: 'e',
  ɪ: 'i',
  ᴋ: 'k',
  ʟ: 'l',
  ᴍ: 'm',
  ɴ: 'n',
  ᴏ: 'o',
  ᴘ: 'p',
  ʀ: 'r',
  ᴛ: 't',
  ᴜ: 'u',
  ᴠ: 'v',
  ʏ: 'y',
  ı: 'i',
  ɑ: 'a',
  ɡ: 'g',
  ø: 'o',
  ł: 'l',
}
const latin = new Map(Object.entries(drawnAlike))
