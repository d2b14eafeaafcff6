import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ModelEvent } from '../../src/core/models/adapter.ts'
import { ModelFault } from '../../src/core/models/fault.ts'
import { calls } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriers, findBarriersInBothThemes } from './barriers.ts'
import {
  answers,
  createGate,
  expectEventually,
  finish,
  openChatWorkbench,
  questions,
  words,
  type ChatWorkbench,
} from './chat-arrange.ts'
import { expectSeen } from './expect-page.ts'

let workbench: ChatWorkbench
beforeAll(async () => {
  workbench = await openChatWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

async function openNew(title: string) {
  const { id } = await workbench.parley.sessions.create({ title })
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('No messages yet.').waitFor()
  return { id, page, say: (text: string) => workbench.parley.sessions.send(id, text) }
}

const isToolAnswer = (request: { messages: readonly { role: string }[] }) =>
  request.messages.at(-1)?.role === 'tool'

it('shows a call from its preparation to its result, and what went in and came out', async () => {
  const gates = [createGate(), createGate()]
  workbench.answerWith((request) =>
    isToolAnswer(request)
      ? [gates[1]!.passed, words('Done.'), finish]
      : [
          { type: 'tool-input-start', toolCallId: 'call-recall-0', toolName: 'recall' },
          { type: 'tool-input-delta', toolCallId: 'call-recall-0', text: '{"query"' },
          gates[0]!.passed,
          ...calls(['recall', { query: 'sheep' }], ['no_such_tool', { a: 1 }]),
        ],
  )
  const { page, say } = await openNew('Tools')
  await say('Use tools')
  await page.locator('[data-tool-state="preparing"]').getByText('recall').waitFor()
  gates[0]!.open()
  const card = page.locator('[data-tool-state="done"]')
  await card.getByRole('button', { name: 'recall' }).click()
  await card.getByRole('group', { name: 'Arguments' }).getByText('"query": "sheep"').waitFor()
  await card.getByRole('group', { name: 'Result' }).waitFor()
  const failed = page.locator('[data-tool-state="error"]')
  await failed.getByRole('button').click()
  await failed.getByText('There is no tool "no_such_tool".').waitFor()
  gates[1]!.open()
  await answers(page).getByText('Done.').waitFor()
  expect(await findBarriers(page)).toEqual([])
})

itInLongTier('cuts a huge value until all of it is asked for, and folds many calls', async () => {
  const many = Array.from({ length: 5 }, (_, index): [string, object] => [
    'recall',
    { query: `${index} ${'x'.repeat(9_000)}` },
  ])
  workbench.answerWith((request) => (isToolAnswer(request) ? [words('Done.'), finish] : calls(...many)))
  const { page, say } = await openNew('Huge')
  await say('Use many tools')
  await answers(page).getByText('Done.').waitFor()
  await page.getByRole('button', { name: '5 tool calls' }).click()
  await page.locator('[data-tool-state]').first().getByRole('button', { name: 'recall' }).click()
  const shown = page.getByRole('group', { name: 'Arguments' })
  await page.getByRole('button', { name: 'Show all' }).first().waitFor()
  const cut = (await shown.innerText()).length
  await page.getByRole('button', { name: 'Show all' }).first().click()
  await expectEventually(async () => (await shown.innerText()).length).toBeGreaterThan(9_000)
  expect(cut).toBeLessThan(4_100)
})

it('shows thoughts while they come, then folds them away and says how long they took', async () => {
  const gate = createGate()
  workbench.answerWith(() => [
    { type: 'reasoning-delta', text: 'Let me think about sheep.' },
    gate.passed,
    { type: 'reasoning-end' },
    words('Twelve.'),
    finish,
  ])
  const { page, say } = await openNew('Thoughts')
  await say('How many?')
  await page.getByRole('button', { name: 'Thinking…', expanded: true }).waitFor()
  await page.getByText('Let me think about sheep.').waitFor()
  gate.open()
  await page.getByRole('button', { name: /^Thought for \d+ s$/, expanded: false }).click()
  await expectSeen(page.getByText('Let me think about sheep.'))
})

it('shows a task as it stands, leads to it, and says that its result is degraded', async () => {
  const gate = createGate()
  workbench.answerWith((request) => {
    if (
      JSON.stringify(request.messages).includes('Count the sheep') &&
      !JSON.stringify(request.messages).includes('Delegate')
    )
      return [gate.passed, words('There are twelve sheep.'), finish]
    if (isToolAnswer(request)) return [words('Started.'), finish]
    return JSON.stringify(request.messages.at(-1)).includes('Delegate')
      ? calls(['spawn_task', { task: 'Count the sheep', label: 'Sheep' }])
      : [words('Noted.'), finish]
  })
  const { page, say } = await openNew('Parent')
  await say('Delegate this')
  const card = answers(page).first()
  await card.locator('[data-status="running"], [data-status="pending"]').first().waitFor()
  gate.open()
  await card.locator('[data-status="completed"]').waitFor({ timeout: 200_000 })
  await card.getByText('degraded: taken from its last message, not submitted').waitFor()
  await card.getByRole('link', { name: 'Sheep' }).click()
  await page
    .getByRole('region', { name: 'Result' })
    .getByText('degraded: taken from its last message')
    .waitFor()
  await page.getByRole('button', { name: 'Result' }).click()
  await page.getByRole('group', { name: 'Result' }).getByText('There are twelve sheep.').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('navigation', { name: 'Started by' }).getByRole('link', { name: 'Parent' }).click()
  await page.getByRole('heading', { name: 'Parent' }).waitFor()
})

it('shows what was said to it meanwhile where it took it in', async () => {
  const gate = createGate()
  let call = 0
  workbench.answerWith(() =>
    ++call === 1 ? [words('First words. '), gate.passed, finish] : [words('As you wish.'), finish],
  )
  const { id, page, say } = await openNew('Steered')
  await say('Begin')
  await answers(page).getByText('First words.').waitFor()
  await workbench.parley.sessions.send(id, { content: 'Be brief', policy: 'steer' })
  gate.open()
  await answers(page).getByText('As you wish.').waitFor()
  const note = answers(page).getByRole('complementary')
  await note.getByText('Be brief').waitFor()
  await expectSeen(note.getByText('You added'))
})

it('says that it waits for the model, and what to do when an answer failed', async () => {
  const [begins, fails] = [createGate(), createGate()]
  let call = 0
  workbench.answerWith(() => {
    call++
    if (call === 1) return [new ModelFault('overloaded', 'Too busy.', { retryAfterMs: 1_000 })]
    if (call === 2)
      return [
        begins.passed,
        words('It begins well'),
        fails.passed,
        new ModelFault('auth', 'The key was refused.'),
      ]
    return [words('x'), finish]
  })
  const { page, say } = await openNew('Failing')
  await say('Try')
  await page.getByText('The model didn’t respond. Retrying in 1 s.').waitFor()
  begins.open()
  await answers(page).getByText('It begins well').waitFor()
  fails.open()
  const problem = answers(page).locator('[data-error="model_auth"]')
  await problem.getByText('The key was refused.').waitFor()
  await problem.getByText('Check this model’s API key in the settings.').waitFor()
  await expectSeen(answers(page).getByText('It begins well'))
})

itInLongTier('marks an answer that was stopped, and tells its tokens', async () => {
  workbench.answerWith(() => [words('Never '), new Promise(() => {}), finish])
  const { id, page, say } = await openNew('Stopped')
  await say('Go on forever')
  await answers(page).getByText('Never').waitFor()
  await workbench.parley.sessions.stop(id)
  await answers(page).getByText('Stopped').waitFor()
  workbench.answerWith(() => [words('Quick.'), finish])
  await say('Now quickly')
  const last = answers(page).last()
  await last.getByText('Quick.').waitFor()
  await last.hover()
  await last.getByRole('button', { name: '1,200 tokens in, 34 out' }).click()
  await expectSeen(last.getByText('Cache read 1,000'))
})

it('draws diagrams in their frame, and shows as code what is none', async () => {
  const diagram = (code: string): ModelEvent => words(`\`\`\`mermaid\n${code}\n\`\`\`\n\n`)
  workbench.answerWith(() => [
    diagram('graph TD\n  A[Begin] --> B[End]'),
    diagram('no diagram at all'),
    finish,
  ])
  const { page, say } = await openNew('Diagrams')
  await say('Draw')
  await page.frameLocator('iframe').first().getByText('Begin').waitFor({ timeout: 200_000 })
  await expectEventually(() => page.locator('iframe').count()).toBe(1)
  await answers(page).locator('pre').getByText('no diagram at all').waitFor()
  await page.getByRole('button', { name: 'Show code' }).click()
  await expectSeen(answers(page).locator('pre').getByText('A[Begin]'))
})

it('has no barriers in everything that Markdown can say', async () => {
  const text = [
    '# Heading\n\nSome **bold**, *italic*, `code`, ~~gone~~ and [a link](https://example.org).',
    '- [x] done\n- [ ] open\n\n1. one\n2. two\n   - nested',
    '| a | b |\n|---|--:|\n| 1 | 2 |',
    '```ts\n// a comment\nexport const answer: number = 42 + "x".length\n```',
    '> quote\n\n---\n\n$$x^2$$ and a note[^1].\n\n![pic](https://example.org/x.png)\n\n[^1]: The note.',
  ].join('\n\n')
  workbench.answerWith(() => [
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'reasoning-end' },
    words(text),
    finish,
  ])
  const id = await workbench.talk('Markdown', 'Say everything')
  const page = await workbench.open(`sessions/${id}`)
  await questions(page).waitFor()
  await page.locator('.katex').waitFor()
  await page.locator('pre span[style]').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

it('shows a call that waits for the program that sent the message, also after a reload', async () => {
  workbench.answerWith((request) =>
    isToolAnswer(request) ? [words('Sunny.'), finish] : calls(['weather', { city: 'Rome' }]),
  )
  const { sessions, toolCalls } = workbench.parley
  const { id } = await sessions.create({ title: 'Weather' })
  const page = await workbench.open(`sessions/${id}`)
  const { awaiting } = await sessions.chat(id, { content: 'Rome?', tools: [{ name: 'weather' }] })
  const waiting = page.locator('[data-tool-state="awaits"]')
  await waiting.getByText('The program that sent the message gives the result.').waitFor()
  await page.reload()
  await waiting.getByText('waiting for its caller').waitFor()
  await waiting.getByRole('timer').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await toolCalls.answer(awaiting![0]!.id, { output: 'sun' })
  await answers(page).getByText('Sunny.').waitFor()
  await page.locator('[data-tool-state="done"]').waitFor()
})
