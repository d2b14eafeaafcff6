import { expect, it } from 'vitest'
import { joinFacets } from '../../protocol/joined-facets.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { looseRules } from './document.ts'
import { formats } from './format.ts'
import { readMarkdown } from './markdown.ts'
import { sampleDocument } from './sample-document.ts'

const written = formats.markdown.write(sampleDocument)

it('reads as a transcript', () => {
  expect(written).toMatch(
    /^---\nformat: parley\.session\nversion: 1\nmessageCount: 3\nsession:\n {2}id: ses_sample\n/,
  )
  expect(written).toContain('\n---\n\n# 天气 & weather: "today"\n\n')
  expect(written).toContain(
    '-->\n## User\n\n<!-- parley:part {"type":"text"} -->\n\nHow is the weather?\n\n---\n\nIn 北京.\n\n',
  )
  expect(written).toContain('-->\n\n```reasoning\nI need a tool.\nOne call is enough.\n```\n')
  expect(written).toContain('<!-- parley:part json -->\n\n```json\n{\n  "type": "dynamic-tool",\n')
  expect(written.endsWith('\n<!-- parley:end -->\n')).toBe(true)
})

it('says who speaks, as extensions name them, and reads files that do not', () => {
  const { documents: rules } = joinFacets([
    { name: 'room', facets: { headingOf: (_role, { room }) => (room === true ? 'Room' : undefined) } },
  ])
  const said = (role: 'user' | 'assistant', metadata: Record<string, unknown>) => ({
    role,
    parts: [{ type: 'text', text: 'Hello' }],
    metadata,
  })
  const document: SessionDocument = {
    ...sampleDocument,
    messages: [
      said('user', { from: 'ada' }),
      said('assistant', { agent: 'milk', round: 1 }),
      said('assistant', { room: true, round: 1 }),
      said('assistant', { agent: 'x\n<!-- parley:end -->' }),
      said('user', { agent: 'milk' }),
    ],
  }
  const text = formats.markdown.write(document, rules)
  expect(text.match(/^## .*/gm)).toEqual([
    '## User: ada',
    '## Assistant: milk',
    '## Room',
    '## Assistant: x <!-- parley:end -->',
    '## User',
  ])
  expect(readMarkdown(text, rules)).toEqual(document)
  expect(readMarkdown(text, looseRules)).toEqual(document)
  expect(
    readMarkdown(
      text.replaceAll(/^(## User|## Assistant): .*/gm, '$1').replace('## Room', '## Assistant'),
      rules,
    ),
  ).toEqual(document)
  expect(() => readMarkdown(text.replace('## Assistant: milk', '## Assistant: mira'), rules)).toThrow(
    /"## Assistant: milk"/,
  )
})

function withText(text: string): SessionDocument {
  return { ...sampleDocument, messages: [{ role: 'user', parts: [{ type: 'text', text }] }] }
}

it.each([
  '',
  '\n',
  '\n\nlead',
  'trail\n\n',
  ' ',
  '---',
  '---\nformat: x\n---',
  '# Heading',
  '## User',
  '```',
  '```js\nunclosed',
  '-->',
  '<!-- a comment -->',
  ' <!-- parley:end -->',
  'x <!-- parley:end -->',
  '\u2028<!-- parley:end -->',
  '\uFEFFx',
  '\u0085',
])('writes %j as it is', (text) => {
  const markdown = formats.markdown.write(withText(text))
  expect(markdown).toContain(`<!-- parley:part {"type":"text"} -->\n\n${text}\n\n<!-- parley:end -->`)
  expect(readMarkdown(markdown)).toEqual(withText(text))
})

it.each(['<!-- parley:end -->', 'x\n<!-- parley:message {} -->\ny', 'a\rb', 'a\r\nb'])(
  'writes %j as JSON',
  (text) => {
    const markdown = formats.markdown.write(withText(text))
    expect(markdown).toContain('<!-- parley:part json -->\n\n```json\n')
    expect(markdown).not.toContain('\r')
    expect(readMarkdown(markdown)).toEqual(withText(text))
  },
)

it('lets no metadata close its comment', () => {
  const document = withText('x')
  document.messages[0]!.metadata = { note: '--> <script>' }
  expect(formats.markdown.write(document)).toContain(
    String.raw`{"role":"user","metadata":{"note":"--\u003e \u003cscript\u003e"}} -->`,
  )
  expect(readMarkdown(formats.markdown.write(document))).toEqual(document)
})

it('takes a correction of the text, made by hand', () => {
  const edited = readMarkdown(written.replace('How is the weather?', 'What is the time?\n\n(Thanks)'))
  expect(edited.messages[1]?.parts).toEqual([
    { type: 'text', text: 'What is the time?\n\n(Thanks)\n\n---\n\nIn 北京.' },
  ])
})

it.each([
  ['## Assistant\n', '## Robot\n', 'the heading "## Assistant" and a blank line belong here'],
  ['<!-- parley:part json', '<!-- parley:part xml', 'is not valid JSON'],
  ['<!-- parley:content text', '<!-- parley:contents text', 'holds an unknown or incomplete marker'],
  ['```reasoning', '```', 'a block fenced as "reasoning" belongs here'],
  ['"role":"user"', '"role":"root"', 'the unknown role "root"'],
  ['messageCount: 3', 'messageCount: 4', 'announces 4 messages, but the file holds 3'],
  ['<!-- parley:end -->', '<!-- parley:end -->\nmore', 'does not end with the line'],
  ['---\n', '', 'does not begin with front matter'],
])('refuses %j turned into %j', (before, after, reason) => {
  expect(() => readMarkdown(written.replace(before, after))).toThrow(reason)
})
