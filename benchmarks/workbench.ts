import { chromium, type Browser } from 'playwright-core'
import { provideProgram } from '../test/runner/programs.ts'
import { median, type Bench, type Figure } from './bench.ts'
import { withProcesses } from './chat/process.ts'
import {
  openCold,
  scrollUp,
  startFrames,
  sumAssets,
  takeFrames,
  waitForAnswer,
  type Frames,
} from './workbench/page.ts'

const opens = 5
const rounds = 3

/** The workbench in a real browser: how soon a long session is there, how it scrolls, how a long answer comes. */
export const workbench: Bench = {
  name: 'workbench',
  run: () =>
    withProcesses(async (start, folder) => {
      const server = start([`${import.meta.dirname}/workbench/server.ts`, `${folder}/data`])
      const { url, long } = JSON.parse(await server.line()) as { url: string; long: string }
      const browser = await chromium.launch({
        executablePath: await provideProgram('chromium'),
        args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
      })
      try {
        return [...(await measureOpening(browser, url, long)), ...(await measureAnswer(browser, url))]
      } finally {
        await browser.close()
      }
    }),
}

async function measureOpening(browser: Browser, url: string, long: string): Promise<Figure[]> {
  const times: number[] = []
  const frames: Frames[] = []
  let kilobytes = 0
  // the first one only warms the server up
  for (let round = -1; round < opens; round++) {
    const { context, page, ms, responses } = await openCold(browser, url, long, 'That was message 10000.')
    if (round >= 0) times.push(ms)
    await page.waitForLoadState('networkidle')
    kilobytes = await sumAssets(responses)
    if (round >= opens - rounds) {
      await startFrames(page)
      await scrollUp(page, { distance: 12_000, speed: 3_000 })
      frames.push(await takeFrames(page))
    }
    await context.close()
  }
  return [
    // what draws code in colours comes when there is code to be drawn
    { what: 'first load of a session with code, gzipped', value: kilobytes, unit: 'kB' },
    {
      what: 'a session of 10,000 messages, until its end is seen',
      value: median(times),
      unit: 'ms',
      goal: { max: 1_500 },
    },
    {
      what: 'frames while it is scrolled',
      value: median(frames.map(({ perSecond }) => perSecond)),
      unit: '/s',
      goal: { min: 50 },
    },
    {
      what: 'longest frame while it is scrolled',
      value: median(frames.map(({ longestMs }) => longestMs)),
      unit: 'ms',
    },
  ]
}

async function measureAnswer(browser: Browser, url: string): Promise<Figure[]> {
  const frames: Frames[] = []
  let kilobytes = 0
  for (let round = 0; round < rounds; round++) {
    const id = await createSession(url)
    const { context, page, responses } = await openCold(browser, url, id, 'Before it all.')
    await page.waitForLoadState('networkidle')
    kilobytes = await sumAssets(responses)
    await startFrames(page)
    const response = await fetch(`${url}/api/sessions/${id}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ content: 'Tell me everything.' }),
    })
    await response.json()
    await waitForAnswer(page)
    frames.push(await takeFrames(page))
    await context.close()
  }
  return [
    { what: 'first load of the chat route, gzipped', value: kilobytes, unit: 'kB', goal: { max: 350 } },
    {
      what: 'longest frame while an answer of 20,000 chunks comes',
      value: median(frames.map(({ longestMs }) => longestMs)),
      unit: 'ms',
      goal: { max: 100 },
    },
    { what: 'frames meanwhile', value: median(frames.map(({ perSecond }) => perSecond)), unit: '/s' },
    { what: 'frames over 50 ms', value: median(frames.map(({ slowPercent }) => slowPercent)), unit: '%' },
  ]
}

async function createSession(url: string): Promise<string> {
  const post = async (path: string, body: unknown) =>
    (await (
      await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()) as { id: string }
  const { id } = await post('/api/sessions', { title: 'A long answer' })
  await post(`/api/sessions/${id}/messages`, { role: 'user', content: 'Before it all.' })
  return id
}
