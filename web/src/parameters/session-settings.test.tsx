import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Session } from '../../../src/client/index.ts'
import { renderInApp, type Sent } from '../../test/render-in-app.tsx'
import { SessionSettings } from './session-settings.tsx'

const session = {
  id: 'ses_1',
  scope: 'default',
  kind: 'interactive',
  title: 'Dinner',
  instructions: 'Be brief.',
  parameters: { temperature: 0.2, seed: null },
} as Session

it('names what is no number, saves the rest as a whole, and closes', async () => {
  const sent: Sent[] = []
  const onClose = vi.fn<() => void>()
  renderInApp(<SessionSettings session={session} onClose={onClose} />, (request) => {
    sent.push(request)
    return Response.json(session)
  })
  const temperature = await screen.findByLabelText<HTMLInputElement>('Temperature (0 to 2)')
  expect(temperature.value).toBe('0.2')
  expect(screen.getByLabelText<HTMLInputElement>('Seed').value).toBe('default')
  fireEvent.change(temperature, { target: { value: 'hot' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect((await screen.findByRole('alert')).textContent).toBe('This is not a number.')
  expect(sent).toEqual([])

  fireEvent.change(temperature, { target: { value: '0.7' } })
  fireEvent.change(screen.getByLabelText('Instructions'), { target: { value: ' ' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sent.map(({ path, body }) => [path, JSON.parse(body!)])).toEqual([
    ['/api/sessions/ses_1', { instructions: null, parameters: { temperature: 0.7, seed: null } }],
  ])
})
