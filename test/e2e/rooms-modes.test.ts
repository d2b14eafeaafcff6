import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { assignRoles } from '../../src/extensions/room/modes/werewolf/roles.ts'
import { says } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriers } from './barriers.ts'
import { answersOf, fill, isForm, openRoomBench, say, soon, type Rooms } from './rooms-arrange.ts'

let rooms: Rooms
beforeAll(async () => {
  rooms = await openRoomBench()
})
afterEach(() => rooms.answer())
afterAll(() => rooms.workbench[Symbol.asyncDispose]())

const open = (path: string, options?: object) => rooms.workbench.open(path, options)

describe('a workflow', () => {
  const makeFlow = (more: object = {}) =>
    rooms.make({ mode: 'workflow', agents: ['coder', 'reviewer', 'tester'], ...more })

  it('shows who works, asks for a yes, and lists what must be fixed', async () => {
    rooms.answer((agent, request) => {
      if (!isForm(request)) return says(`${agent} did it.`)
      if (agent !== 'reviewer') return says(fill(request))
      return says(
        JSON.stringify({
          decision: 'changes_requested',
          must_fix: ['P1: the door is open'],
          nice_to_have: [],
          tests: [],
          security: [],
        }),
      )
    })
    const page = await open(`sessions/${await makeFlow({ modeState: { maxRounds: 1 } })}`)
    const bar = page.getByRole('region', { name: 'Mode' })
    await bar.locator('[data-node="coder"][data-status="current"]').waitFor()
    await say(page, 'Close the door')
    await answersOf(page, 'tester').waitFor()
    const ask = page.locator('[data-ask]')
    await ask.getByRole('button', { name: 'Approve' }).waitFor()
    await expect.poll(() => bar.locator('[data-status="done"]').count(), soon).toBe(3)
    await bar.getByText('waiting for your approval').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await ask.getByLabel('Note').fill('Quietly, please')
    await ask.getByRole('button', { name: 'Approve' }).click()
    await answersOf(page, 'reviewer').filter({ hasText: 'the door is open' }).waitFor()
    await bar.getByText('no rounds left').waitFor()
    await bar.getByRole('button', { name: 'Details' }).click()
    await bar.getByRole('region', { name: '1 required fix' }).getByText('P1: the door is open').waitFor()
    await page.locator('[data-room]').filter({ hasText: 'Quietly, please' }).first().waitFor()
  })

  it('goes on by its button after an agent failed', async () => {
    rooms.answer(() => [new Error('no power')])
    const page = await open(`sessions/${await makeFlow({ modeState: { confirm: true } })}`)
    const bar = page.getByRole('region', { name: 'Mode' })
    await say(page, 'Close the door')
    await bar.getByText('an agent failed').waitFor()
    rooms.answer((agent) => says(`${agent} did it.`))
    await bar.getByRole('button', { name: 'Continue' }).click()
    await answersOf(page, 'tester').getByText('tester did it.').waitFor()
    await expect.poll(() => answersOf(page, 'coder').count(), soon).toBe(2)
  })

  itInLongTier('begins anew in another mode, after it said what is lost', async () => {
    const id = await makeFlow()
    const page = await open(`sessions/${id}`)
    await page.getByRole('region', { name: 'Mode' }).getByRole('button', { name: 'Workflow' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change mode' })
    await dialog.getByText('The mode restarts').waitFor()
    await dialog.getByText('Quiz', { exact: true }).click()
    await dialog.getByLabel('Topic').fill('Doors')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByRole('region', { name: 'Mode' }).getByText('Doors').waitFor()
    expect(await rooms.client.sessions.get(id)).toMatchObject({ mode: 'quiz' })
  })
})

describe('werewolf', () => {
  const agents = ['mira', 'quill', 'pip', 'coder']
  const seedWith = (role: string) => {
    for (let seed = 1; ; seed++)
      if (assignRoles([...agents, 'ada'], undefined, seed).ada === role) return seed
  }
  const makeGame = (seed: number) =>
    rooms.make({
      title: 'The village',
      mode: 'werewolf',
      agents,
      room: { humans: [{ name: 'ada', displayName: 'Ada', plays: true }] },
      modeState: { seed },
    })
  const secret = 'psst, the moon is full'
  const play = (agent: string, request: Parameters<typeof fill>[0]) =>
    isForm(request)
      ? fill(request, { say: secret, item: 'nothing', vote: 'abstain' })
      : `${agent} saw nothing.`

  it('keeps from a person who plays what the rules keep, and takes the vote by its form', async () => {
    const seed = seedWith('villager')
    rooms.answer((agent, request) => says(play(agent, request)))
    const page = await open(`sessions/${await makeGame(seed)}`)
    const bar = page.getByRole('region', { name: 'Mode' })
    await bar.getByText('Not started').waitFor()
    await say(page, 'Let us begin.')
    await bar.getByText('Day: discussion').waitFor()
    // it knows who it is, and nothing of the night
    const panel = page.getByRole('region', { name: 'Only visible to you' })
    await panel
      .getByText(/villager/i)
      .first()
      .waitFor()
    await page.getByText('Sealed').waitFor()
    expect(await page.locator('[data-whisper]').count()).toBe(0)
    expect(await page.getByText(secret).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Prompt' }).count()).toBe(0)
    await page.locator('[data-ask]').getByText('Answer in the box below.').waitFor()
    await say(page, 'I was asleep.')
    const ask = page.locator('[data-ask]')
    await ask.getByRole('group', { name: 'Vote' }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await ask.getByRole('button', { name: 'Send' }).click()
    await ask.getByText('Required.').waitFor()
    const choices = ask.getByRole('radio')
    const target = await choices.first().evaluate((input) => input.closest('label')!.textContent)
    await ask.getByText(target, { exact: true }).click()
    await ask.getByRole('button', { name: 'Send' }).click()
    await bar.getByRole('button', { name: 'Details' }).click()
    await bar.getByText(`Ada → ${target}`).waitFor()
    await bar.getByText(`Out: ${target}`).waitFor()
    await bar.locator('[data-dead]').first().waitFor()
  })

  itInLongTier('lets a wolf hear the wolves, and choose by its form', async () => {
    const seed = seedWith('wolf')
    rooms.answer((agent, request) => says(play(agent, request)))
    const page = await open(`sessions/${await makeGame(seed)}`)
    await say(page, 'Let us begin.')
    const panel = page.getByRole('region', { name: 'Only visible to you' })
    await panel
      .getByText(/wol[fv]/i)
      .first()
      .waitFor()
    const ask = page.locator('[data-ask]')
    await ask.getByRole('group', { name: 'Target' }).getByText('Quill').click()
    await ask.getByLabel('Say').fill('Quill it is')
    await ask.getByRole('button', { name: 'Send' }).click()
    await panel.getByText('Quill it is').waitFor()
    const conversation = page.getByRole('region', { name: 'Conversation' })
    expect(await conversation.getByText('Quill it is').count()).toBe(0)
  })

  it('shows the night as whispers to somebody who only watches', async () => {
    rooms.answer((agent, request) => says(play(agent, request)))
    const page = await open(
      `sessions/${await rooms.make({ mode: 'werewolf', agents: [...agents, 'tester'], modeState: { seed: 1, maxRounds: 1 } })}`,
    )
    await page.getByRole('button', { name: 'Start' }).click()
    await page.locator('[data-whisper]').first().waitFor()
    await page
      .getByRole('region', { name: 'Mode' })
      .getByText(/\bwon\b/)
      .waitFor(soon)
    expect(await findBarriers(page)).toEqual([])
  })
})

describe('a quiz', () => {
  it('shows the question without its answer, takes that of a person, and keeps the scores', async () => {
    const question = {
      question: 'Which is a door?',
      kind: 'choice',
      options: ['A cat', 'A gate'],
      answer: 'B',
      explanation: 'Gates open.',
    }
    rooms.answer((agent, request) => {
      const { properties = {} } = (request.replyFormat?.schema ?? {}) as { properties?: object }
      if ('kind' in properties) return says(JSON.stringify(question))
      return says(isForm(request) ? fill(request, { answer: 'B' }) : `${agent}: B`)
    })
    const id = await rooms.make({
      mode: 'quiz',
      agents: ['mira', 'quill'],
      room: { humans: [{ name: 'ada', displayName: 'Ada', plays: true }] },
      modeState: { topic: 'Doors', rounds: 1 },
    })
    const page = await open(`sessions/${id}`)
    const bar = page.getByRole('region', { name: 'Mode' })
    await say(page, 'Let us begin.')
    await bar.getByText('Answering').waitFor()
    await bar.getByRole('button', { name: 'Details' }).click()
    await bar.getByRole('region', { name: 'Question' }).getByText('Which is a door?').waitFor()
    expect(await page.getByText('Gates open.').count()).toBe(0)
    const ask = page.locator('[data-ask]')
    // however much is open above it, the box stays
    await page.setViewportSize({ width: 1280, height: 600 })
    await expect
      .poll(() => page.locator('#composer').evaluate((box) => box.getBoundingClientRect().bottom), soon)
      .toBeLessThanOrEqual(600)
    await bar.getByRole('button', { name: 'Continue without waiting' }).waitFor()
    await ask.getByLabel('Answer').fill('B')
    await ask.getByRole('button', { name: 'Send' }).click()
    await bar.getByText('Finished').waitFor()
    const table = bar.getByRole('table', { name: 'Scores' })
    await expect
      .poll(() => table.locator('tr[data-player="ada"] td').allInnerTexts(), soon)
      .toEqual(['1', expect.stringContaining('Ada'), '1'])
    await bar.getByText('Questions so far').click()
    await bar.getByText('A gate').first().waitFor()
    expect(await findBarriers(page)).toEqual([])
  })
})
