import { describe, expect, it } from 'vitest'
import type { Cron } from '../../../src/client/index.ts'
import { newDraft, toCreate, toDraft, toUpdate } from './cron-draft.ts'

const cron: Cron = {
  id: 'cron_1',
  scope: 'default',
  name: 'Report',
  schedule: '0 9 * * MON-FRI',
  timeZone: 'Europe/Berlin',
  prompt: 'Write it.',
  label: 'report',
  timeoutMs: 90_000,
  missed: 'once',
  maxMissed: 10,
  overlap: 'skip',
  maxFailures: 5,
  status: 'paused',
  failures: 0,
  createdAt: '2026-11-15T00:00:00.000Z',
  updatedAt: '2026-11-15T00:00:00.000Z',
}

describe('a cron in the form', () => {
  it('leaves to the server what was left empty', () => {
    expect(toCreate({ ...newDraft('UTC'), prompt: 'Look around' })).toEqual({
      prompt: 'Look around',
      schedule: '0 9 * * *',
      timeZone: 'UTC',
      missed: 'once',
      maxMissed: 10,
      overlap: 'skip',
      maxFailures: 5,
    })
  })

  it('changes nothing when nothing was changed', () => {
    expect(toUpdate(cron, toDraft(cron))).toEqual({})
  })

  it('sends what was changed, and takes away what was emptied', () => {
    const draft = { ...toDraft(cron), prompt: 'Write it again.', label: '', timeoutMinutes: '2', name: '' }
    expect(toUpdate(cron, draft)).toEqual({ prompt: 'Write it again.', label: null, timeoutMs: 120_000 })
  })
})
