import { describe, expect, it } from 'vitest'
import { toData } from '../src/agent/agent-record.ts'
import { parseSlash } from '../src/core/context/commands.ts'
import { parseFrontMatter } from '../src/core/context/front-matter.ts'
import { createReferenceParser } from '../src/core/context/references.ts'
import { builtInReferences } from './built-in.ts'
import { splitGlobs } from '../src/core/files/globs.ts'
import { splitText } from '../src/extensions/knowledge/split-text.ts'
import { likeness } from '../src/extensions/memory/similarity.ts'
import { ownWords, sentencesAround } from '../src/extensions/memory/turn-words.ts'
import { parseCheck } from '../src/extensions/plan/acceptance-checks.ts'
import { readMarkdown } from '../src/extensions/plan/read-markdown.ts'
import { readReply } from '../src/extensions/plan/read-reply.ts'
import { parseYaml } from '../src/core/protocol/yaml-text.ts'
import { buildLookup } from '../src/extensions/room/name-lookup.ts'
import { parseMentions } from '../src/extensions/room/mentions.ts'
import { chosenOption, normalised } from '../src/extensions/room/modes/quiz/compare.ts'
import { isSilence } from '../src/extensions/room/silent-replies.ts'
import { parseSchedule } from '../src/extensions/schedule/next-fire.ts'
import { readLoose } from '../src/core/shared/loose-json.ts'
import { withoutFence } from '../src/core/shared/text.ts'
import { decodeText } from '../src/extensions/web/charset.ts'
import { editText } from '../src/extensions/workflow/edit-yaml.ts'

/**
 * Whatever reads what people, models and pages write, with texts that are made to hurt. One that tries every way to
 * read such a text needs minutes for it, and the test does not come to its end; the others need moments.
 */
// what has a shorter limit of its own is given no more than that
const length = Number(process.env.PARLEY_TEST_TEXT ?? 100_000)

const run = (piece: string) => piece.repeat(Math.ceil(length / piece.length))

const pieces = [
  ' ',
  '\n',
  '\r',
  '\t\n',
  '\u2028',
  '.',
  '. ',
  'a. ',
  '>',
  '> \n',
  '`',
  '```\n',
  '~~~',
  '"',
  "'",
  '\\"',
  '@',
]
const more = [
  '@a',
  '#',
  '# ',
  '- ',
  '  - ',
  '[',
  '](',
  '{',
  '{a:',
  '$',
  '${',
  '<',
  '<a ',
  '/',
  '*',
  '**',
  '(',
  '!',
  ',',
  ':',
  'a:',
  '-',
  '=',
  '\0',
  'é',
  '中',
  '<!--',
  '---\n',
  '1',
  '1 ',
  '&a ',
]
const texts = [...pieces, ...more].flatMap((piece) => [run(piece), `x${run(piece)}x`])

const lookup = buildLookup([{ name: 'mira' }, { name: '牛奶' }] as never)
const message = (text: string) => ({ parts: [{ type: 'text', text }] })

const readers: Record<string, (text: string) => unknown> = {
  'an answer in a fence': withoutFence,
  'an answer with data': toData,
  'JSON with slips': (text) => readLoose(`{"a": ${text}`, 0),
  'the words of a person': (text) => ownWords(message(text)),
  'the sentences around a passage': (text) => sentencesAround(text, `. ${text.slice(0, 10)} not there`),
  'the likeness of texts': (text) => likeness(text, text.slice(1)),
  'a slash command': (text) => [parseSlash(text), parseSlash(`/${text}`)],
  'front matter': (text) => parseFrontMatter(`---\n${text}\n---\n`),
  references: createReferenceParser(builtInReferences).parseReferences,
  globs: splitGlobs,
  'parts of a document': (text) => splitText(text),
  'a check of a result': (text) => parseCheck(text.slice(0, 2_000)),
  'a plan in Markdown': readMarkdown,
  'a reply about a plan': readReply,
  'a text in YAML': (text) => parseYaml(text.slice(0, 10_000)),
  mentions: (text) => parseMentions(text, lookup),
  'an answer to a question': (text) => [normalised(text), chosenOption(['Rome', 'Oslo'], `option${text}`)],
  silence: isSilence,
  'a schedule': (text) => parseSchedule(text.slice(0, 200), 'UTC'),
  'the characters of a page': (text) => decodeText(Buffer.from(`<meta ${text}`), 'text/html'),
  'a definition in JSON': (text) =>
    editText(`{"name": "a", "steps": []}${/^\s*$/.test(text) ? text : ''}`, {
      type: 'set',
      path: ['name'],
      value: 'b',
    }),
}

describe('a text that is made to hurt', () => {
  it.each(Object.entries(readers))('is read or refused: %s', { timeout: 200_000 }, (_name, read) => {
    for (const text of texts)
      try {
        read(text)
      } catch (error) {
        // refused, not overflowed
        expect(error).not.toBeInstanceOf(RangeError)
      }
  })
})
