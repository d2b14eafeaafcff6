import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, expect, it } from 'vitest'
import { textsReady } from '../../shell/texts.ts'
import { MessagePart } from './message-part.tsx'

beforeAll(() => textsReady('en'))

it('draws a part that no feature knows as a card with its name and state', () => {
  const drawn = renderToStaticMarkup(
    createElement(MessagePart, { part: { type: 'data-chart', state: 'pending', data: [1] } }),
  )
  expect(drawn).toContain('data-unknown-part')
  expect(drawn).toContain('data-chart')
  expect(drawn).toContain('pending')
  expect(drawn).toContain('The workbench has no view for this part.')
})
