import { expect, it } from 'vitest'
import { z } from 'zod'
import { joinHookEvents } from './extensions.ts'

const answer = z.strictObject({})

it('joins the events of hooks in the order of the extensions', () => {
  const joined = joinHookEvents([
    { hookEvents: { PrePoll: answer } },
    {},
    { hookEvents: { PostPoll: answer } },
  ])
  expect(Object.keys(joined)).toEqual(['PrePoll', 'PostPoll'])
})

it.each(['PrePoll', 'PreToolUse'])('refuses a second event %s', (event) => {
  const extensions = [{ hookEvents: { PrePoll: answer } }, { hookEvents: { [event]: answer } }]
  expect(() => joinHookEvents(extensions)).toThrow(`There are two events of hooks named "${event}".`)
})
