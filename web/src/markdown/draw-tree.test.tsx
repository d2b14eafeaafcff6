import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { ToastProvider } from '../ui/toast.tsx'
import { createToElements } from './to-elements.ts'

afterEach(cleanup)

const toElements = createToElements({ footnoteLabel: 'Notes', footnoteBackLabel: 'Back' })
const draw = (markdown: string) =>
  render(<ToastProvider>{toElements(markdown, false)}</ToastProvider>).container

it('draws a table without the line breaks between its rows, and aligns its cells', async () => {
  const table = draw('| a | b |\n|:-:|--:|\n| 1 | **2** |\n')
  await expect.poll(() => table.querySelectorAll('td').length).toBe(2)
  const [middle, right] = table.querySelectorAll<HTMLElement>('td')
  expect([middle!.style.textAlign, right!.style.textAlign]).toEqual(['center', 'right'])
  expect(table.querySelector('tbody')!.childNodes).toHaveLength(1)
  expect(right!.querySelector('strong')!.textContent).toBe('2')
})

it('links a footnote to its text', () => {
  const note = draw('Said[^1].\n\n[^1]: By somebody.\n')
  expect(note.querySelector('sup a')!.getAttribute('href')).toBe('#user-content-fn-1')
  expect(note.querySelector('section[data-footnotes]')!.className).toBe('footnotes')
  expect(note.querySelector('li')!.id).toBe('user-content-fn-1')
})

it('keeps the number that a list begins with, and tags as words', () => {
  const list = draw('3. <b onclick="x()">bold</b>\n4. last\n')
  expect(list.querySelector('ol')!.getAttribute('start')).toBe('3')
  expect(list.querySelector('b')).toBeNull()
  expect(list.textContent).toContain('<b onclick="x()">bold</b>')
})
