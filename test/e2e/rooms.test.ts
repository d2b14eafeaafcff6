import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { says } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriersInBothThemes, widthOf } from './barriers.ts'
import { phone } from './browser.ts'
import { answersOf, composer, openRoomBench, say, soon, type Rooms } from './rooms-arrange.ts'

let rooms: Rooms
beforeAll(async () => {
  rooms = await openRoomBench()
})
afterEach(() => rooms.answer())
afterAll(() => rooms.workbench[Symbol.asyncDispose]())

const open = (path: string, options?: object) => rooms.workbench.open(path, options)

describe('the page of rooms', () => {
  it('makes a room of chosen agents in a new thread, where all of them answer', async () => {
    const page = await open('rooms')
    await page.getByRole('button', { name: 'New room' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New room' })
    await dialog.getByLabel('Title').fill('Tea at five')
    await dialog.getByRole('radio', { name: 'Free chat' }).waitFor({ state: 'attached' })
    await expect.poll(() => dialog.getByRole('checkbox', { name: 'Mira' }).isChecked(), soon).toBe(true)
    await dialog.getByLabel('Thread').selectOption({ label: 'New thread…' })
    await dialog.getByLabel('Thread name').fill('kitchen')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tea at five' }).waitFor()
    await say(page, 'Hello!')
    for (const name of ['Mira', 'Quill', 'Pip']) {
      const answer = answersOf(page, name.toLowerCase())
      await answer.getByRole('heading', { name }).waitFor()
      await answer.getByText(`Hello from ${name.toLowerCase()}.`).waitFor()
    }
    await page.getByRole('button', { name: 'All rooms' }).click()
    const thread = page.getByRole('region', { name: 'kitchen' })
    await thread.getByRole('link', { name: 'Tea at five' }).waitFor()
  })

  itInLongTier('says at the field what a mode cannot begin with', async () => {
    const page = await open('rooms?form=new')
    const dialog = page.getByRole('dialog', { name: 'New room' })
    await dialog.getByText('Werewolf', { exact: true }).click()
    await dialog.getByLabel('Max. rounds').fill('99')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Too small or too large.').waitFor()
    await dialog.getByLabel('Max. rounds').fill('5')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'at least 5 players' }).waitFor()
    rooms.workbench.expectProblems(/400/)
  })

  itInLongTier('archives a room with a reason, which is shown in the archive', async () => {
    const id = await rooms.make({ title: 'Old talk' })
    const page = await open('rooms')
    await page.getByRole('button', { name: 'Actions for “Old talk”' }).click()
    await page.getByRole('menuitem', { name: 'Archive…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Archive “Old talk”' })
    expect(await dialog.getByRole('button', { name: 'Archive' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Reason').fill('All is said.')
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('link', { name: 'Old talk' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Archived', exact: true }).click()
    await page.getByText('Archived: All is said.').waitFor()
    expect(await rooms.client.sessions.get(id)).toMatchObject({ archiveReason: 'All is said.' })
  })
})

describe('a room', () => {
  it('has those answer who are mentioned, and says so', async () => {
    const page = await open(`sessions/${await rooms.make()}`)
    await say(page, '@quill what do you think?')
    await answersOf(page, 'quill').getByText('Hello from quill.').waitFor()
    const routing = page.locator('[data-routing="mention"]')
    await routing.getByRole('button').click()
    await routing.getByText('they were mentioned').waitFor()
    expect(await routing.getByRole('button').textContent()).toContain('→ Quill')
    await page.locator('[data-routing] [aria-busy="true"]').waitFor({ state: 'detached' })
    expect(await answersOf(page, 'mira').count()).toBe(0)
    expect(await page.locator('[data-agent][data-message]').count()).toBe(1)
  })

  it('shows several agents that speak at once side by side, and the same to whoever comes later', async () => {
    const gate = Promise.withResolvers<void>()
    rooms.answer((agent) => [
      { type: 'text-delta', text: `${agent} begins ` },
      gate.promise,
      ...says(`and ${agent} ends.`),
    ])
    const id = await rooms.make()
    const page = await open(`sessions/${id}`)
    await say(page, 'All together')
    for (const agent of ['mira', 'quill', 'pip']) {
      await answersOf(page, agent).getByText(`${agent} begins`).waitFor()
      expect(await answersOf(page, agent).getAttribute('aria-busy')).toBe('true')
    }
    /** Which way the second of them lies from the first. */
    const direction = async (shown: typeof page) => {
      const [first, second] = await Promise.all(
        ['mira', 'quill'].map((agent) => answersOf(shown, agent).boundingBox()),
      )
      return [Math.sign(second!.x - first!.x), Math.sign(second!.y - first!.y)]
    }
    await expect.poll(() => direction(page), soon).toEqual([1, 0])
    // somebody who comes while they speak
    const late = await open(`sessions/${id}`, phone)
    await answersOf(late, 'pip').getByText('pip begins').waitFor()
    gate.resolve()
    for (const shown of [page, late])
      for (const agent of ['mira', 'quill', 'pip'])
        await answersOf(shown, agent).getByText(`${agent} begins and ${agent} ends.`).waitFor()
    const words = (shown: typeof page) =>
      shown.locator('[data-round]').evaluateAll((rounds) =>
        rounds.map((round) => {
          const copy = round.cloneNode(true) as Element
          for (const time of copy.querySelectorAll('time')) time.remove()
          return copy.textContent
        }),
      )
    await expect.poll(() => page.locator('[aria-busy="true"]').count(), soon).toBe(0)
    const watched = await words(page)
    await page.reload()
    await answersOf(page, 'pip').waitFor()
    await expect.poll(() => words(page), soon).toEqual(watched)
    // on a phone one below the other
    await expect.poll(() => direction(late), soon).toEqual([0, 1])
  })

  it('offers who can be called, by any of their names', async () => {
    const page = await open(`sessions/${await rooms.make()}`)
    const options = page.getByRole('listbox').getByRole('option')
    await composer(page).fill('@')
    await expect.poll(() => options.count(), soon).toBe(4)
    await composer(page).fill('Well, @小')
    await expect.poll(() => options.count(), soon).toBe(1)
    await options.filter({ hasText: '@quill' }).waitFor()
    await composer(page).press('Enter')
    await expect.poll(() => composer(page).inputValue(), soon).toBe('Well, @quill ')
    await composer(page).pressSequentially('@al')
    await options.filter({ hasText: '@all' }).waitFor()
    await composer(page).press('Tab')
    await composer(page).press('Enter')
    for (const agent of ['mira', 'quill', 'pip']) await answersOf(page, agent).waitFor()
  })

  it('shows why an agent could not answer, and has it asked again', async () => {
    rooms.answer((agent) => (agent === 'pip' ? [new Error('out of acorns')] : says(`Fine, says ${agent}.`)))
    const page = await open(`sessions/${await rooms.make()}`)
    await say(page, 'How are you?')
    await answersOf(page, 'mira').getByText('Fine, says mira.').waitFor()
    const failed = answersOf(page, 'pip')
    await failed.locator('[data-error]').waitFor()
    rooms.answer()
    await failed.getByRole('button', { name: 'Ask Pip again' }).click()
    await expect.poll(() => composer(page).inputValue()).toBe('@pip How are you?')
    await composer(page).press('Enter')
    await answersOf(page, 'pip').last().getByText('Hello from pip.').waitFor()
    expect(await answersOf(page, 'mira').count()).toBe(1)
  })

  it('stops all who speak', async () => {
    rooms.answer((agent) => [{ type: 'text-delta', text: `${agent} goes on and on` }, new Promise(() => {})])
    const page = await open(`sessions/${await rooms.make()}`)
    await say(page, 'Talk')
    await answersOf(page, 'pip').getByText('pip goes on').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    for (const agent of ['mira', 'quill', 'pip'])
      await answersOf(page, agent).getByText('Stopped').waitFor(soon)
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('[aria-busy="true"]').count(), soon).toBe(0)
  })

  it('leads from an answer to what that agent was sent', async () => {
    const page = await open(`sessions/${await rooms.make({ title: 'Seen' })}`)
    await say(page, 'What do you see?')
    const answer = answersOf(page, 'mira')
    await answer.getByRole('button', { name: 'Prompt' }).click()
    await page.getByRole('complementary', { name: 'Side panel' }).getByText('the agent’s identity').waitFor()
    await page.getByText('This is the room as Mira sees it.').waitFor()
    await composer(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.url()).toContain('dock=context')
    await page.getByRole('navigation', { name: 'Started by' }).getByRole('link', { name: 'Seen' }).click()
    await answersOf(page, 'quill').waitFor()
    // the panel that is still open leads to each of them
    const panel = page.getByRole('complementary', { name: 'Side panel' })
    await panel.getByRole('button', { name: 'Quill' }).click()
    await page.getByText('This is the room as Quill sees it.').waitFor()
  })

  it('changes who is in it', async () => {
    const id = await rooms.make()
    const page = await open(`sessions/${id}?form=settings`)
    const dialog = page.getByRole('dialog', { name: 'Agents and rules' })
    await dialog.getByRole('checkbox', { name: 'Mira' }).uncheck()
    await dialog.getByLabel('When nobody is mentioned').selectOption('silent')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await rooms.client.sessions.get(id)).toMatchObject({
      agents: ['quill', 'pip'],
      room: { policy: 'silent' },
    })
    await say(page, 'Nobody there?')
    await page.locator('[data-routing]').filter({ hasText: '→ nobody' }).waitFor()
    expect(await page.locator('[data-agent][data-message]').count()).toBe(0)
  })

  itInLongTier('holds its layout against names and words of any kind', async () => {
    const page = await open(`sessions/${await rooms.make({ title: 'x'.repeat(200) })}`, phone)
    rooms.answer(() => says(`${'w'.repeat(5_000)}\u202Edesrever`))
    await composer(page).fill('y'.repeat(3_000))
    await page.getByRole('button', { name: 'Send' }).tap()
    await answersOf(page, 'pip').waitFor()
    await expect.poll(() => page.locator('[aria-busy="true"]').count(), soon).toBe(0)
    await expect.poll(() => widthOf(page), soon).toBe(phone.viewport.width)
  })
})

it('has no barriers', async () => {
  const id = await rooms.make()
  await rooms.client.sessions.chat(id, 'Hello')
  const page = await open(`sessions/${id}`)
  await answersOf(page, 'pip').waitFor()
  await page.locator('[data-routing] button').first().click()
  await composer(page).fill('@')
  await page.getByRole('listbox').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await composer(page).fill('')
  await page.goto(`${rooms.workbench.url}/#/rooms`)
  await page.getByRole('main').getByRole('link', { name: 'A room' }).first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'New room' }).first().click()
  await page.getByRole('checkbox', { name: 'Mira' }).waitFor()
  await page.getByText('Werewolf', { exact: true }).click()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
