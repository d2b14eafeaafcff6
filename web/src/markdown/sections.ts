// about so much is drawn anew when words come
const minLength = 300

/**
 * Cuts a long text where nothing reaches over: before a heading or a plain paragraph, outside of fences and formulas. What
 * was cut stays as it is when more is added, so that of a long answer only its end has to be read and drawn again.
 */
export function toSections(text: string): readonly string[] {
  if (text.length < minLength || refersAcross.test(text)) return [text]
  const sections: string[] = []
  let start = 0
  let fence: string | undefined
  let isFormula = false
  let wasBlank = false
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end === -1 ? text.length : end)
    // the last line may go on, and then be something else
    if (end === -1) break
    if (wasBlank && !fence && !isFormula && at - start >= minLength && standsAlone.test(line)) {
      sections.push(text.slice(start, at))
      start = at
    }
    fence = nextFence(fence, line)
    if (!fence && line.includes('$$') && line.split('$$').length % 2 === 0) isFormula = !isFormula
    wasBlank = line.trim() === ''
    at = end + 1
  }
  return [...sections, text.slice(start)]
}

// definitions of links and footnotes count for the whole text
const refersAcross = /^ {0,3}\[[^\]\n]+\]:/m
const standsAlone = /^(#{1,6} |\p{L})/u

/** A fence ends with one that is as long and of the same kind. */
function nextFence(open: string | undefined, line: string): string | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return open
  const [, marks, rest] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? []
  if (marks === undefined) return open
  if (open === undefined) return marks
  return marks.startsWith(open) && rest!.trim() === '' ? undefined : open
}

/** Whether the last fence is still open: the code in it goes on. */
export const endsInFence = (text: string): boolean =>
  text.split('\n').reduce<string | undefined>(nextFence, undefined) !== undefined
