import { expect, it } from 'vitest'
import { ParleyError } from '../../../../src/client/index.ts'
import { issueTexts as zh } from '../../api/zh.ts'
import { toRoomErrors } from './room-errors.ts'

const refused = (...path: string[]) =>
  new ParleyError('invalid_request', 'No.', { details: { issues: [{ path, code: 'custom', params: {} }] } })

it('shows at the thread that it is archived, gone, or badly named, and nothing else', () => {
  const archived = new ParleyError('conflict', 'It is archived.', { details: { slug: 'trip' } })
  const gone = new ParleyError('not_found', 'There is none.', { details: { id: 'trip' } })
  expect(toRoomErrors(archived, 'trip', zh)).toEqual({ thread: 'It is archived.' })
  expect(toRoomErrors(gone, 'trip', zh)).toEqual({ thread: 'There is none.' })
  expect(toRoomErrors(gone, 'other', zh)).toEqual({ form: 'There is none.' })
  const named = { path: ['slug'], code: 'invalid_format', params: { format: 'slug' } }
  const wrong = new ParleyError('invalid_request', 'No.', { details: { issues: [named] } })
  expect(toRoomErrors(wrong, 'Trip!', zh)).toEqual({ thread: zh.wordings.slug })
})

it('shows at the agents and the settings of the room what is about them', () => {
  expect(toRoomErrors(refused('agents'), '', zh)).toEqual({ agents: 'No.' })
  expect(toRoomErrors(refused('room', 'moderator'), '', zh)).toEqual({ room: 'No.' })
  expect(toRoomErrors(refused('modeState', 'roles'), '', zh)).toEqual({ form: 'No.' })
})
