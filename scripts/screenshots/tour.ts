import type { Page } from 'playwright-core'
import { animatePng, type Frame } from './animate-png.ts'
import type { Demo } from './demo.ts'
import type { Pace } from './pace.ts'

// large enough for three columns, and not too large for a README
export const tourSize = { width: 1_280, height: 800 }
export const tourScale = 0.7

/** A chat that hands work to a task, what the model saw of it, and a room of three agents: some twelve seconds. */
export async function takeTour(page: Page, { url, empty, room }: Demo, pace: Pace): Promise<Buffer> {
  const frames: Frame[] = []
  const shoot = async (ms: number) => {
    // what has come is painted, and whatever turns round stands still
    await page.waitForTimeout(150)
    frames.push({ png: await page.screenshot({ animations: 'disabled', caret: 'hide' }), ms })
  }
  const show = (path: string) => page.goto(`${url}/#/${path}`)
  const type = async (text: string) => {
    const box = page.getByRole('textbox', { name: 'Message' })
    await box.click()
    for (const part of text.match(/.{1,9}/g) ?? []) {
      await page.keyboard.insertText(part)
      await shoot(90)
    }
    await shoot(300)
    await box.press('Enter')
  }
  const watch = async (pictures: number, words: number) => {
    for (let taken = 0; taken < pictures; taken++) {
      pace.letGo(words)
      await shoot(110)
    }
  }

  await page.goto(`${url}/#/sessions/${empty}?dock=tasks`)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.waitForTimeout(1_000)
  await shoot(700)
  pace.hold()
  await type('Plan the release for Friday, and have the notes written.')
  await watch(40, 5)
  await shoot(1_200)
  await show(`sessions/${empty}?dock=context`)
  await page.waitForTimeout(1_000)
  await shoot(2_000)
  await show(`sessions/${room}`)
  await page.getByRole('heading', { level: 1, name: 'The team' }).waitFor()
  await page.waitForTimeout(500)
  await type('How do we tell people about it?')
  await watch(14, 6)
  await shoot(2_500)
  return animatePng(frames)
}
