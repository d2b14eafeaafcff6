import { expect, it } from 'vitest'
import { isSilence, mayBeSilence } from './silent-replies.ts'

it.each(['REPLY_SKIP', ' REPLY_SKIP\n', '`REPLY_SKIP`', '**REPLY_SKIP**', '"REPLY_SKIP".', 'REPLY_SKIP。'])(
  '%j is silence, and may be from its first letter on',
  (text) => {
    expect(isSilence(text)).toBe(true)
    for (let end = 0; end <= text.length; end++) expect(mayBeSilence(text.slice(0, end))).toBe(true)
  },
)

it.each(['', 'REPLY', 'REPLY_SKIP is a word', 'I say REPLY_SKIP', 'REPLY_SKIPPED', 'reply_skip', '**'])(
  '%j is something that was said, or nothing',
  (text) => expect(isSilence(text)).toBe(false),
)

it.each(['REPLY_SKIP is', 'REX', 'Hello', 'r'])('%j cannot become silence any more', (text) =>
  expect(mayBeSilence(text)).toBe(false),
)
