import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Run } from '../core/store/queries/run-row.ts'
import { logWork } from './log-work.ts'

it.each([
  ['taken over from a process that is gone', 2, 2, ['took over a run whose process is gone']],
  ['that waited, or was released', 2, 1, []],
  ['that begins', 1, 1, []],
])('logs a run %s', (_what, fence, attempt, expected) => {
  const lines: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const run = { id: 'run_1', sessionId: 'ses_1', scope: 'default', kind: 'chat', attempt } as Run
  logWork(logger).run!({ run, lease: { runId: run.id, owner: 'here', fence } })
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(expected)
})
