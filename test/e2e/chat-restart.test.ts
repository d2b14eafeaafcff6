import { expect, it } from 'vitest'
import { answers, createGate, expectEventually, finish, openChatWorkbench, words } from './chat-arrange.ts'
import { refusedRequest } from './workbench.ts'

it('says that the server is away, and goes on with the answer when it is back', async () => {
  await using workbench = await openChatWorkbench()
  const gate = createGate()
  let call = 0
  workbench.answerWith(() =>
    ++call === 1
      ? [words('Half of the first try'), gate.passed, finish]
      : [words('The whole of the second try.'), finish],
  )
  const { id } = await workbench.parley.sessions.create({ title: 'Restarted' })
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('No messages yet.').waitFor()
  await workbench.parley.sessions.send(id, 'Go on')
  await answers(page).getByText('Half of the first try').waitFor()
  // the server is back before anybody looks; the page must not see it for a while
  await page.context().setOffline(true)
  await workbench.restart()
  await page.getByRole('alert').getByText('Can’t reach the server.').waitFor()
  await page.context().setOffline(false)
  await answers(page).getByText('The whole of the second try.').waitFor({ timeout: 200_000 })
  await expectEventually(() => answers(page).getAttribute('aria-busy')).toBeNull()
  // what was said before the restart was void, and is not shown beside what came after
  expect(await answers(page).getByText('Half of the first try').count()).toBe(0)
  expect(await answers(page).count()).toBe(1)
  await page.getByRole('alert').waitFor({ state: 'detached' })
  // the browser tells of connections that were refused by itself
  workbench.expectProblems(refusedRequest)
})
