import { expect, it } from 'vitest'
import { z } from 'zod'
import { turnHookEvents } from '../chat/program-hooks.ts'
import { joinHookEvents } from './extensions.ts'

const answer = z.strictObject({})

it('joins the events of hooks: those of turns, then those of extensions in their order', () => {
  const joined = joinHookEvents([
    { hookEvents: { PrePoll: answer } },
    {},
    { hookEvents: { PostPoll: answer } },
  ])
  expect(Object.keys(joined)).toEqual([...Object.keys(turnHookEvents), 'PrePoll', 'PostPoll'])
})

it.each(['PrePoll', 'PreToolUse'])('refuses a second event %s', (event) => {
  const extensions = [{ hookEvents: { PrePoll: answer } }, { hookEvents: { [event]: answer } }]
  expect(() => joinHookEvents(extensions)).toThrow(`There are two events of hooks named "${event}".`)
})
