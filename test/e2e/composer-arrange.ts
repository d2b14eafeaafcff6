import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ModelRequest } from '../../src/core/models/adapter.ts'
import type { Message } from '../../src/core/protocol/message.ts'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { calls, says, type Script } from '../chat-harness.ts'
import type { Workbench } from './workbench.ts'

/** What was said last, without the context that Parley puts before it. */
export function lastWords({ messages }: ModelRequest): string {
  const last = messages.findLast(({ role }) => role === 'user')
  const texts = last?.content.map((part) => ('text' in part ? part.text : '')) ?? []
  return texts.filter((text) => text !== '' && !text.startsWith('<context>')).join('\n')
}

/**
 * Answers what it heard. Told to wait it says nothing more until it is stopped; told to work it calls a tool when it is
 * let go, and then tells what reached it on the way.
 */
export function createListener() {
  const requests: ModelRequest[] = []
  let letGo = Promise.withResolvers<void>()
  const script: Script = (request) => {
    requests.push(request)
    const words = lastWords(request)
    const hasWorked = request.messages.at(-1)?.role === 'tool' || /while you work/.test(words)
    if (words.startsWith('please wait')) return [...says('I wait.').slice(0, 1), new Promise(() => {})]
    if (words.startsWith('please work') && !hasWorked) return [letGo.promise, ...calls(['recall', {}])]
    return says(`Heard: ${words}`)
  }
  return {
    script,
    requests,
    letGo() {
      letGo.resolve()
      letGo = Promise.withResolvers()
    },
  }
}

/** With the time that a browser takes on a machine that does other things too. */
export function expectSoon<Value>(look: () => Value) {
  return expect.poll(look, { timeout: 200_000 })
}

export const boxOf = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

/** A session of its own, open in the browser, with the cursor in the box. */
export async function openSession(workbench: Workbench, options = {}) {
  const { id } = await workbench.parley.sessions.create()
  const page = await workbench.open(`sessions/${id}`, options)
  const box = boxOf(page)
  await box.focus()
  const log = async (): Promise<Message[]> => (await workbench.parley.sessions.messages(id)).items
  return {
    id,
    page,
    box,
    log,
    /** Until the log holds exactly these messages of the user. */
    expectSaid: (...texts: string[]) =>
      expectSoon(async () => (await log()).filter(({ role }) => role === 'user').map(messageText)).toEqual(
        texts,
      ),
  }
}

/** Says something that keeps the session busy until it is stopped. */
export async function keepBusy({ page, box }: { page: Page; box: ReturnType<typeof boxOf> }) {
  await box.fill('please wait')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
}

/** Texts of the queue as it is shown, in order. */
export const shownQueue = async (page: Page): Promise<string[]> =>
  (await page.getByRole('region', { name: 'Queue' }).getByRole('listitem').allInnerTexts()).map((text) =>
    text.trim(),
  )
