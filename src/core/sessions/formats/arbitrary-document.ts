import fc from 'fast-check'
import type { SessionDocument } from '../../protocol/session.ts'
import { sessionDocumentSchema } from './sample-document.ts'

/* Documents that fit the schema, full of what has broken readers and writers before. For tests. */

const words =
  'yes no on null true ~ 1e3 0o7 0x1F 012 1_000 12:30:00 2001-01-01 .nan .inf -0 << = @ %YAML &a *a !!js/function ' +
  'constructor toString --- ... ``` ```` ` # ## -- --> <!-- <!--parley: \\ \\u0000 ${x} { } [ ] , : ? - | > " \' 中文 かな 😀 👩‍👩‍👧 é e\u0301'
const blanks = [
  '\n',
  '\n\n',
  '\r',
  '\r\n',
  ' ',
  '\t',
  '\v',
  '\f',
  '\u2028',
  '\u2029',
  '\u0085',
  '\uFEFF',
  '\u00A0',
  '\u3000',
]
const others = [
  '\u0001',
  '\u001B',
  '\u007F',
  '\u009F',
  '\u200B',
  '\uFFFE',
  '\uFFFF',
  '\u{10FFFF}',
  'x'.repeat(3_000),
]
const markers = [
  '<!-- parley:end -->',
  '\n<!-- parley:part {"type":"text"} -->\n',
  '\n---\n',
  '\n...\n',
  ': ',
  '- ',
  ' #',
]
const pieces = fc.constantFrom(...words.split(' '), ...blanks, ...others, ...markers)

const text = fc
  .oneof(
    { weight: 4, arbitrary: fc.array(pieces, { maxLength: 8 }).map((chosen) => chosen.join('')) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  )
  .filter((candidate) => candidate.isWellFormed() && !candidate.includes('\0'))
const key = text.filter((candidate) => candidate !== '__proto__')
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0) // JSON has no -0
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    number,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const jsonObject = fc.dictionary(key, json, { maxKeys: 3, noNullPrototype: true })
const memoObject = fc.dictionary(
  key.filter((name) => name !== '' && name.length <= 200),
  json,
  { maxKeys: 3, noNullPrototype: true },
)
const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}$/)
const label = text.map((line) =>
  line
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 500)
    .toWellFormed(),
)
const instant = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text, state: text }, { requiredKeys: ['type', 'text'] }),
  fc.record(
    { type: fc.constant('reasoning'), text, providerMetadata: json },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record({ type: fc.constant('file'), mediaType: text, url: text }),
  fc.record({ type: fc.constant('dynamic-tool'), toolName: text, state: text, input: json, output: json }),
  fc.record({ type: fc.constantFrom('tool-search', 'source-url', 'step-start'), text: json }),
  jsonObject.map((fields) => Object.assign(fields, { type: 'data-chart' })),
)

const common = {
  id: maybe(text.filter((candidate) => candidate !== '' && candidate.length <= 200)),
  role: fc.constantFrom('user', 'assistant', 'system'),
  metadata: maybe(jsonObject),
  createdAt: maybe(instant),
}
const message = fc.oneof(
  fc.record({ ...common, parts: fc.array(part, { maxLength: 4 }) }),
  fc.record({ ...common, content: text }),
)

const checkpoint = fc.record({
  id,
  messageSeq: fc.nat(),
  userMessage: text,
  completed: fc.boolean(),
  fileChanges: fc.array(jsonObject, { maxLength: 2 }),
  createdAt: instant,
})
const session = fc.record(
  {
    id,
    kind: fc.constantFrom('interactive', 'background', 'tool'),
    title: label,
    llmSummary: text,
    instructions: text.map((said) => said.trim() || 'Be brief.'),
    parameters: fc.record(
      {
        temperature: fc.option(fc.constantFrom(0, 0.5, 2)),
        stop: fc.array(
          text.filter((said) => said !== '' && said.length < 500),
          { minLength: 1, maxLength: 3 },
        ),
        seed: fc.option(fc.integer()),
        reasoningEffort: fc.constantFrom('none', 'high'),
      },
      { requiredKeys: [] },
    ),
    mode: id,
    modeState: jsonObject,
    window: fc.record(
      {
        mode: fc.constantFrom('lite', 'memo'),
        limit: fc.record(
          { chars: fc.nat(1_000_000_000), messages: fc.nat(1_000_000_000) },
          { requiredKeys: [] },
        ),
        memo: fc.record({ enabled: fc.boolean(), schema: memoObject }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    windowStart: fc.integer({ min: 1 }),
    memo: fc.record(
      { memo: memoObject, pinned: fc.array(id, { maxLength: 3 }), throughSeq: fc.nat() },
      { requiredKeys: ['memo', 'throughSeq'] },
    ),
    record: fc.record(
      {
        input: fc.record({ paths: fc.array(id, { minLength: 1, maxLength: 3 }) }),
        output: fc.constant({ paths: ['a.b'], mode: 'first' }),
      },
      { requiredKeys: [] },
    ),
    toolMeta: fc.record({ source: id, label }),
    allowedTools: fc.array(id, { maxLength: 3 }),
    bgMeta: fc.record({
      triggerType: fc.constantFrom('api', 'tool_spawn'),
      label,
      autoCleanup: fc.boolean(),
    }),
    bgResult: text,
    bgArtifacts: fc.array(text, { maxLength: 3 }),
    forkedFrom: fc.record(
      { sessionId: text, messageId: text, before: fc.constant(true as const) },
      { requiredKeys: ['sessionId', 'messageId'] },
    ),
    checkpoints: fc.array(checkpoint, { maxLength: 2 }),
    archivedAt: instant,
    createdAt: instant,
  },
  { requiredKeys: [] },
)

export const arbitraryDocument: fc.Arbitrary<SessionDocument> = fc
  .record({
    session,
    messages: fc.uniqueArray(message, { maxLength: 5, selector: (given) => given.id ?? given }),
  })
  .map((given) => sessionDocumentSchema.parse({ format: 'parley.session', version: 1, ...given }))
