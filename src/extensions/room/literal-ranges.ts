import { codeRanges, type TextRange } from './code-ranges.ts'

/** Each searches what the earlier ones have left over. */
const finders = [codeRanges, tagRanges, quoteRanges, urlRanges]

/** Parts of a text that are not the speaker's own words: code, quotes and URLs, in order. */
export function literalRanges(text: string): TextRange[] {
  let found: TextRange[] = []
  let left = text
  for (const find of finders) {
    const ranges = find(left)
    if (ranges.length === 0) continue
    left = blanked(left, ranges)
    found = found.concat(ranges)
  }
  return found.sort((a, b) => a.start - b.start)
}

/** The same text, as long as before, without what is in these ranges, which are in order. */
function blanked(text: string, ranges: readonly TextRange[]): string {
  const pieces: string[] = []
  let from = 0
  for (const { start, end } of ranges) {
    pieces.push(text.slice(from, start), ' '.repeat(end - start))
    from = end
  }
  return pieces.join('') + text.slice(from)
}

const tags = /<(\/?)(code|pre|kbd|samp|q|blockquote)(?:\s[^<>]*)?>/gi

/** From a tag for code or quotes to the one that closes it; one that nothing closes is text. */
function tagRanges(text: string): TextRange[] {
  if (!text.includes('</')) return []
  const found = [...text.matchAll(tags)].map(({ index, 0: tag, 1: slash, 2: name }) => ({
    start: index,
    end: index + tag.length,
    isClosing: slash !== '',
    name: name!.toLowerCase(),
  }))
  const lastClosing = new Map(found.filter(({ isClosing }) => isClosing).map(({ name, end }) => [name, end]))
  const ranges: TextRange[] = []
  let open: (typeof found)[number] | undefined
  for (const tag of found) {
    if (!open) {
      if (!tag.isClosing && (lastClosing.get(tag.name) ?? 0) > tag.end) open = tag
    } else if (tag.isClosing && tag.name === open.name) {
      ranges.push({ start: open.start, end: tag.end })
      open = undefined
    }
  }
  return ranges
}

// within a line; what nothing closes is no quote but an inch or a slip, and between letters ' is an apostrophe
const quotes =
  /“[^“”\n]*”|„[^„“”\n]*[“”]|「[^「」\n]*」|『[^『』\n]*』|«[^«»\n]*»|‹[^‹›\n]*›|(?<![\p{Script=Latin}\p{N}])"(?=\S)[^"\n]*(?<=\S)"(?![\p{Script=Latin}\p{N}])|(?<![\p{L}\p{N}])['‘](?=\S)(?:[^'‘’\n]|(?<=\p{L})['’](?=\p{L}))*(?<=\S)['’](?!\p{L})/gu

function quoteRanges(text: string): TextRange[] {
  return /["“„「『«‹'‘]/.test(text) ? matches(text, quotes) : []
}

// from the colon on; without brackets, quotes and letters of other scripts, which rather follow a URL
const urls = /:\/\/[\w\-.~:/?#@!$&'*+,;=%]*/g

function urlRanges(text: string): TextRange[] {
  return text.includes('://') ? matches(text, urls) : []
}

const matches = (text: string, pattern: RegExp): TextRange[] =>
  [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
