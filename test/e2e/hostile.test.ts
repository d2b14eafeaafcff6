/** Rows I1 to I3 of the reliability list: whatever a message says, nothing runs, nothing is asked from elsewhere, the page holds. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  answers,
  expectEventually,
  expectSameContent,
  openChatWorkbench,
  words,
  type ChatWorkbench,
} from './chat-arrange.ts'
import { phone, type PageOptions } from './browser.ts'
import { hostileTexts } from './hostile-payloads.ts'
import { someOf, testTier } from '../runner/tier.ts'

// hundreds of texts, on a busy machine
const slowMs = 240_000

let workbench: ChatWorkbench
let payloads: string[]
/** What was asked from the server that nobody may talk to. */
const heard: string[] = []
const canary = createServer((request, response) => {
  heard.push(request.url ?? '')
  response.end()
})
beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  payloads = hostileTexts(`http://127.0.0.1:${(canary.address() as AddressInfo).port}`)
  workbench = await openChatWorkbench()
})
afterAll(async () => {
  canary.close()
  // a policy that steps in is the second line: the first one must have been enough
  await workbench[Symbol.asyncDispose]()
})

interface Watched {
  page: Page
  /** What happened that must not. */
  trouble(): Promise<string[]>
}

async function watch(options: PageOptions = {}): Promise<Watched> {
  const page = await workbench.open('', options)
  const seen: string[] = []
  const own = new URL(workbench.url).host
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => seen.push(`popup: ${popup.url()}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.host !== own && url.protocol !== 'data:' && url.protocol !== 'blob:') seen.push(`request: ${url}`)
  })
  return {
    page,
    async trouble() {
      const found = await page.evaluate(() => {
        const { hacked } = globalThis as { hacked?: unknown }
        const problems = hacked === undefined ? [] : ['a script ran']
        const unsafe =
          'script, object, embed, form[action], base, meta[http-equiv], link[rel~="prefetch"], svg script'
        for (const element of document.querySelectorAll('main *')) {
          if (element.matches(unsafe)) problems.push(`element: ${element.outerHTML.slice(0, 100)}`)
          if (element instanceof HTMLIFrameElement && !element.src.endsWith('/diagram.html'))
            problems.push(`frame: ${element.src.slice(0, 100)}`)
          for (const { name, value } of element.attributes) {
            if (name.startsWith('on')) problems.push(`handler: ${name}`)
            if (
              ['href', 'src', 'xlink:href', 'action', 'formaction'].includes(name) &&
              isUnsafe(element, value)
            )
              problems.push(`address: ${value.slice(0, 100)}`)
          }
        }
        function isUnsafe(element: Element, value: string) {
          if (element.tagName === 'IMG') return !value.startsWith('data:image/')
          if (element.tagName === 'IFRAME') return false
          if (
            element.getAttribute('target') === '_blank' &&
            element.getAttribute('rel') !== 'noopener noreferrer'
          )
            return true
          return !/^(https?:\/\/|mailto:|\/?#\/|#user-content-)/.test(value)
        }
        const { scrollWidth, clientWidth } = document.documentElement
        if (scrollWidth > clientWidth) problems.push(`the page is ${scrollWidth} wide in ${clientWidth}`)
        return problems
      })
      return [...seen, ...found, ...heard.map((url) => `heard: ${url}`)]
    },
  }
}

interface GivenMessage {
  role: string
  content?: string
  parts?: object[]
  metadata?: object
}

async function importSession(messages: GivenMessage[], title = 'Hostile'): Promise<string> {
  const document = { format: 'parley.session', version: 1, session: { title }, messages }
  return (await workbench.parley.sessions.import(JSON.stringify(document))).id
}

let seenCount = 0

/** Opens a session with these messages and brings each of them into view once. */
async function seeAll(page: Page, messages: GivenMessage[]): Promise<void> {
  const end = `The end of number ${++seenCount}.`
  const id = await importSession([...messages, { role: 'user', content: end }])
  await page.goto(`${workbench.url}/#/sessions/${id}`)
  await page.locator('article').getByText(end).waitFor()
  await page.locator('[data-scroller]').evaluate(async (element) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    element.scrollTop = 0
    for (let before = -1; before !== element.scrollTop; element.scrollTop += element.clientHeight) {
      before = element.scrollTop
      for (let frames = 0; frames < 4; frames++) await frame()
    }
  })
}

/** Everything that is folded away, and what is folded in it. */
async function openFolded(page: Page): Promise<void> {
  const folded = page.locator('article button[aria-expanded="false"]:not([aria-haspopup])')
  await expectEventually(async () => {
    await folded.evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()))
    return folded.count()
  }).toBe(0)
}

it(
  'runs and loads nothing that an answer says',
  async () => {
    const { page, trouble } = await watch()
    for (const chunk of chunksOf(payloads, 45)) {
      await seeAll(
        page,
        chunk.flatMap((content) => [
          { role: 'user', content: 'Say something' },
          { role: 'assistant', content },
        ]),
      )
      expect(await trouble()).toEqual([])
    }
  },
  slowMs,
)

it(
  'nor what stands in questions, thoughts, calls, results, errors, file names and notes',
  async () => {
    const parts = (text: string) => [
      { type: 'reasoning', text },
      {
        type: 'dynamic-tool',
        toolName: text.slice(0, 150),
        toolCallId: 'a',
        state: 'output-available',
        input: { text },
        output: text,
      },
      {
        type: 'dynamic-tool',
        toolName: 'read',
        toolCallId: 'b',
        state: 'output-error',
        input: text,
        errorText: text,
      },
      { type: 'data-steer', id: 's', data: { parts: [{ type: 'text', text }] } },
      {
        type: 'data-task-result',
        data: { taskId: text, label: text, status: text, source: 'tool', output: text, error: text },
      },
      { type: 'file', mediaType: text.slice(0, 150), url: text, filename: text.slice(0, 200) },
      { type: 'file', mediaType: 'image/png', url: text, filename: text.slice(0, 200) },
      { type: text.slice(0, 150) || 'x', text },
    ]
    const some = someOf(payloads, 0, 6)
    const { page, trouble } = await watch()
    for (const chunk of chunksOf(some, 25)) {
      await seeAll(
        page,
        chunk.flatMap((text) => [
          { role: 'user', content: text },
          {
            role: 'assistant',
            parts: parts(text),
            metadata: {
              error: { code: text, message: text },
              usage: { inputTokens: text },
              memories: { used: [text] },
            },
          },
          { role: 'system', content: text },
        ]),
      )
      await openFolded(page)
      expect(await trouble()).toEqual([])
    }
  },
  slowMs,
)

it(
  'nor a title, also on a phone',
  async () => {
    const titles = payloads.filter((text) => text.length < 200 && !text.includes('\n'))
    const { page, trouble } = await watch(phone)
    for (const title of someOf(titles, 0, 12)) {
      const id = await importSession(
        [{ role: 'user', content: `Said under number ${titles.indexOf(title)}.` }],
        title,
      )
      await page.goto(`${workbench.url}/#/sessions/${id}`)
      await page.getByText(`Said under number ${titles.indexOf(title)}.`).waitFor()
      await page.getByRole('button', { name: 'Session menu' }).waitFor()
      expect(await trouble()).toEqual([])
    }
  },
  slowMs,
)

it(
  'holds its width on a phone',
  async () => {
    const wide = payloads.filter((text) => text.length > 1_000)
    const { page, trouble } = await watch(phone)
    await seeAll(
      page,
      wide.flatMap((content, index) =>
        someOf(['user', 'assistant'], index, 2).map((role) => ({ role, content })),
      ),
    )
    expect(await trouble()).toEqual([])
    const overflowing = await page
      .locator('[data-scroller]')
      .evaluate((element) => element.scrollWidth > element.clientWidth)
    expect(overflowing).toBe(false)
  },
  slowMs,
)

it(
  'shows the same wherever the stream was cut',
  async () => {
    const text = payloads
      .filter((payload) => payload.length < 400 && !payload.includes('mermaid'))
      .join('\n\n')
    // as it is shown to whoever comes later
    const stored = await workbench.open(
      `sessions/${await importSession([{ role: 'assistant', content: text }])}`,
    )
    const { page, trouble } = await watch()
    for (const size of testTier === 'long' ? [1, 2, 3, 7, 50, text.length] : [1, 7, text.length]) {
      workbench.answerWith(() => [
        ...chunksOf([...text], size).map((piece) => words(piece.join(''))),
        { type: 'finish', reason: 'stop', usage: {} },
      ])
      const { id } = await workbench.parley.sessions.create({ title: `Cut by ${size}` })
      await page.goto(`${workbench.url}/#/sessions/${id}`)
      await page.getByText('No messages yet.').waitFor()
      await workbench.parley.sessions.chat(id, 'Say it all')
      await answers(page).waitFor()
      await expectEventually(() => answers(page).getAttribute('aria-busy')).toBeNull()
      await expectSameContent(answers(page), answers(stored))
      expect(await trouble()).toEqual([])
    }
  },
  slowMs,
)

it('is sent with a policy that would stop what slipped through', async () => {
  const { headers } = await fetch(workbench.url)
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe-(inline|eval)/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  const frame = (await fetch(`${workbench.url}/diagram.html`)).headers.get('content-security-policy') ?? ''
  expect(frame).toContain("connect-src 'none'")
  expect(frame).toContain("frame-ancestors 'self'")
  expect(frame).not.toContain('unsafe-eval')
})

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size))
  return chunks
}
