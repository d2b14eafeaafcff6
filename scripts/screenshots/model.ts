import type { ModelAdapter, ModelEvent, ModelMessage, ModelRequest } from '../../src/core/models/adapter.ts'

/** A model that says what looks well in a picture, and does so every time. */
export const sampleModel: ModelAdapter = {
  id: 'sample/model',
  async *stream(request, signal) {
    for (const event of answer(request)) yield event
    if (!isEndless(request)) return yield finish(request, 'stop')
    // a task that is still going on while the pictures are taken
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  },
}

const isEndless = ({ messages }: ModelRequest) => textOf(messages[0]).includes('Watch the error rate')

function finish({ system, messages }: ModelRequest, reason: 'stop' | 'tool-calls'): ModelEvent {
  const inputTokens = Math.round((system.length + JSON.stringify(messages).length) / 4) + 900
  const cacheReadTokens = messages.length > 1 ? Math.round(inputTokens * 0.8) : 0
  return { type: 'finish', reason, usage: { inputTokens, outputTokens: 180, cacheReadTokens } }
}

const says = (text: string): ModelEvent[] =>
  text.split(/(?<= )/).map((word) => ({ type: 'text-delta', text: word }))
const thinks = (text: string): ModelEvent[] => [{ type: 'reasoning-delta', text }, { type: 'reasoning-end' }]
let calls = 0
const call = (toolName: string, input: object): ModelEvent => ({
  type: 'tool-call',
  toolCallId: `call-${++calls}`,
  toolName,
  input: JSON.stringify(input),
})

function answer({ system, messages, tools, cacheKey }: ModelRequest): ModelEvent[] {
  if (cacheKey.endsWith(':memo')) return says(JSON.stringify(memo))
  if (cacheKey.endsWith(':memory')) return says(JSON.stringify(learned))
  const last = messages.at(-1)
  const asked = textOf(messages.findLast(({ role }) => role === 'user'))
  const seat = /You are (Mira|Quill|Pip)\b/.exec(system)?.[1] as keyof typeof seats | undefined
  if (seat) return says(seats[seat])
  if (tools.some(({ name }) => name === 'set_result')) return doTask(asked, last)
  if (asked.includes('<task_result')) return says(released)
  if (last?.role === 'tool') return says(afterTools)
  if (asked.includes('release'))
    return [...thinks(thought), ...says('Let me look at what we decided. '), ...lookUp]
  if (asked.includes('发布')) return says(chinese)
  return says(general)
}

const lookUp = [
  call('recall', { query: 'release' }),
  call('spawn_task', {
    task: 'Collect the changes since 1.4 and write release notes in plain words.',
    label: 'Release notes for 1.5',
    expected_output: 'Markdown, at most one screen',
  }),
]

function doTask(asked: string, last: ModelMessage | undefined): ModelEvent[] {
  if (asked.includes('Watch the error rate'))
    return says('The error rate is 0.2 %, as it was an hour ago. I look again in a minute.')
  if (last?.role !== 'tool')
    return [...says('I read the log of changes first.'), call('recall', { query: 'changes' })]
  return [call('set_result', { output: releaseNotes })]
}

const textOf = (message: ModelMessage | undefined): string =>
  (message?.content ?? []).map((part) => ('text' in part ? part.text : '')).join('\n')

const thought =
  'They want to ship on Friday. I should check what was decided about the migration, and have the notes written meanwhile.'
const afterTools = `The notes are being written in the background; they come here by themselves. For the release itself:

1. **Freeze** on Thursday at noon, so that the last run of the tests is the one we ship.
2. Run the migration on a copy first: it takes about *four minutes* for the largest workspace.
3. Switch over node by node:

\`\`\`sh
parley serve --port 4128 &   # the new one joins the same database
curl -s localhost:4128/readyz
\`\`\`

| step      | who  | takes  |
| --------- | ---- | ------ |
| freeze    | Ada  | –      |
| migration | Lin  | 4 min  |
| switch    | Ada  | 10 min |
`
const seats = {
  Mira: 'I would write to everybody on Thursday: what changes, when it happens, and whom to ask. Three sentences are enough.',
  Quill:
    'One thing is missing: who decides that we go back, and until when. Without that, nobody will dare to.',
  Pip: 'Give it a name that people remember! “Lighthouse”: it is the one where a window says what left it.',
}
const released =
  'The notes are there: three things people will notice, and one change of a setting. Shall I send them to the team?'
const releaseNotes = `## 1.5

- Sessions open at once, however long they are.
- A window that was cut says what left it.
- \`limit.tokens\` counts what the provider counts.`
const general = `Yes. A session keeps its whole log; the model sees a **window** of it. What leaves the window is summed up in a memo, so nothing is forgotten without a word.`
const chinese = `可以。建议按下面的顺序**发布**：

- 周四中午冻结代码
- 先在副本上运行迁移，大约四分钟
- 然后逐个节点切换

需要我把步骤写成清单吗？`
const memo = {
  profile: { team: 'Platform', lead: 'Ada' },
  preferences: ['short answers', 'commands that can be copied'],
  decisions: ['version 1.5 ships on Friday', 'the migration runs on a copy first'],
  tasks: ['write the release notes', 'tell the users about limit.tokens'],
  recent_summary: 'We planned the release of 1.5 and who does what.',
}
// kept of the one turn in which that was said
const learned = {
  event_log: [
    { text: 'The release notes of 1.5 are written in the background.', evidence: 'have the notes written' },
  ],
  foresight: [{ text: 'Version 1.5 is released.', evidence: 'Plan the release for Friday', until: 'Friday' }],
}
