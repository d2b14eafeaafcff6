import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'

// turns around what follows, and cannot be seen itself
const override = '\u202E'

it('marks what nobody would see of a text, wherever it is drawn', () => {
  render(<p title={`a${override}b`}>safe{`gpj${override}.exe`}</p>)
  const paragraph = screen.getByText(/safe/)
  expect(paragraph.querySelector('[data-hidden]')?.textContent).not.toContain(override)
  expect(paragraph.textContent).not.toContain(override)
  expect(paragraph.title).not.toContain(override)
})

it('leaves alone what was typed, and texts in which everything can be seen', () => {
  render(
    <>
      <input aria-label="Typed" defaultValue={`a${override}b`} />
      <p>日本語, عربى, 👩‍👧</p>
    </>,
  )
  expect(screen.getByLabelText<HTMLInputElement>('Typed').value).toBe(`a${override}b`)
  expect(screen.getByText('日本語, عربى, 👩‍👧').children).toHaveLength(0)
})
