import { act, fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { QueueItem } from './queue-item.tsx'

type Props = Parameters<typeof QueueItem>[0]

async function show(more: Partial<Props> = {}) {
  const on = {
    onEdit: vi.fn<Props['onEdit']>(),
    onRemove: vi.fn<Props['onRemove']>(),
    onMove: vi.fn<Props['onMove']>(),
    onSendNow: vi.fn<Props['onSendNow']>(),
  }
  const item = { id: 'run_1', text: 'Then the dishes', files: 0 } as never
  // texts may have to be loaded first
  await act(async () =>
    render(
      <ul>
        <QueueItem item={item} place={2} count={3} canSteer={false} {...on} {...more} />
      </ul>,
    ),
  )
  return on
}

const words = () => screen.getByRole('button', { name: /Then the dishes/ })
const edit = () => screen.getByRole('textbox')

it('is moved and removed by keyboard', async () => {
  const { onMove, onRemove } = await show()
  fireEvent.keyDown(words(), { key: 'ArrowUp' })
  expect(onMove).not.toHaveBeenCalled()
  fireEvent.keyDown(words(), { key: 'ArrowUp', altKey: true })
  fireEvent.keyDown(words(), { key: 'ArrowDown', altKey: true })
  expect(onMove.mock.calls).toEqual([[-1], [1]])
  fireEvent.keyDown(words(), { key: 'Delete' })
  expect(onRemove).toHaveBeenCalledOnce()
})

it('cannot be moved past the ends', async () => {
  await show({ place: 1, count: 1 })
  for (const name of ['Move up', 'Move down'])
    expect(screen.getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(true)
})

it('takes another text by Enter, but not by the Enter that ends a word of an input method', async () => {
  const { onEdit } = await show()
  fireEvent.click(words())
  expect(document.activeElement).toBe(edit())
  fireEvent.change(edit(), { target: { value: '然后洗碗' } })
  fireEvent.keyDown(edit(), { key: 'Enter', isComposing: true })
  fireEvent.keyDown(edit(), { key: 'Enter', keyCode: 229 })
  fireEvent.keyDown(edit(), { key: 'Enter', shiftKey: true })
  expect(onEdit).not.toHaveBeenCalled()
  fireEvent.keyDown(edit(), { key: 'Enter' })
  expect(onEdit).toHaveBeenCalledExactlyOnceWith('然后洗碗')
  expect(document.activeElement).toBe(words())
})

it('keeps its text by Escape, and when nothing would be left of it', async () => {
  const { onEdit } = await show()
  fireEvent.click(words())
  fireEvent.change(edit(), { target: { value: 'Something else' } })
  fireEvent.keyDown(edit(), { key: 'Escape' })
  fireEvent.click(words())
  expect(edit()).toHaveProperty('value', 'Then the dishes')
  fireEvent.change(edit(), { target: { value: '  ' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(onEdit).not.toHaveBeenCalled()
  expect(document.activeElement).toBe(words())
})

it('is not edited where it has files, which the new text would take the place of', async () => {
  await show({ item: { id: 'run_1', text: 'Then the dishes', files: 2 } as never })
  expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull()
  fireEvent.click(words())
  expect(screen.queryByRole('textbox')).toBeNull()
})
