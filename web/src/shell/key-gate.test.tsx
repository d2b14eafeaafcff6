import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp, type Sent } from '../../test/render-in-app.tsx'
import { KeyGate } from './key-gate.tsx'

const wantsKey = ({ headers }: Sent) =>
  headers.get('authorization') === 'Bearer right'
    ? Response.json({ items: [], nextCursor: null })
    : Response.json({ error: { code: 'unauthorized', message: 'A key is needed.' } }, { status: 401 })

const type = (key: string) => {
  fireEvent.change(screen.getByLabelText('API key'), { target: { value: key } })
  fireEvent.click(screen.getByRole('button'))
}

it('shows nothing but a form until a key was accepted, and asks with it from then on', async () => {
  renderInApp(
    <KeyGate>
      <p>What is behind it</p>
    </KeyGate>,
    wantsKey,
  )
  await screen.findByLabelText('API key')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.queryByText('What is behind it')).toBeNull()
  type('wrong')
  await screen.findByRole('alert')
  type('  right ')
  await screen.findByText('What is behind it')
  expect(screen.queryByLabelText('API key')).toBeNull()
})

it('asks for no key where none is wanted', async () => {
  renderInApp(
    <KeyGate>
      <p>What is behind it</p>
    </KeyGate>,
  )
  await screen.findByText('What is behind it')
  expect(screen.queryByLabelText('API key')).toBeNull()
})
