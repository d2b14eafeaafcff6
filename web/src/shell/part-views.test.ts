import { expect, it } from 'vitest'
import { partViewsOf } from './part-views.ts'

const view = () => Promise.reject(new Error('not drawn here'))
const ticket = () => Promise.reject(new Error('not drawn here'))
const views = partViewsOf([
  { id: 'notes', parts: { 'data-note': view, 'data-hidden': null } },
  { id: 'tickets', parts: { 'data-ticket-*': ticket }, tools: { 'ticket_*': view, ticket_open: ticket } },
])

it('finds who draws a part by its type, or by how it begins', () => {
  expect(views.ofPart('data-note')).toBe(view)
  expect(views.ofPart('data-ticket-opened')).toBe(ticket)
  expect(views.ofPart('data-ticket')).toBeUndefined()
})

it('knows what is not to be seen from what nobody draws', () => {
  expect(views.ofPart('data-hidden')).toBeNull()
  expect(views.ofPart('data-chart')).toBeUndefined()
})

it('prefers the name of a tool over its beginning', () => {
  expect(views.ofTool('ticket_close')).toBe(view)
  expect(views.ofTool('ticket_open')).toBe(ticket)
  expect(views.ofTool('read')).toBeUndefined()
})
