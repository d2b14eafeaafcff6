import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openPostgres } from '../src/core/store/postgres/open.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createParley } from '../src/parley.ts'
import { createScripted, says } from './chat-harness.ts'
import { createGate } from './gates.ts'
import { postgresDatabase, toOptions } from './harness.ts'

// SQLite executes one transaction after another
it('takes in a result that is delivered while a turn ends, on PostgreSQL', async () => {
  await using database = await postgresDatabase()
  const gate = createGate()
  const model = createScripted((_request, call) => (call === 1 ? [gate.wait(), ...says('One')] : says('Two')))
  await using parley = await createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
  })
  const { id } = await parley.sessions.create()
  // begins with the one who waits for it
  const turn = parley.sessions.chat(id, 'Have it done').then(({ run }) => run)
  await gate.reached

  await using other = await database.open(systemClock)
  const watching = openPostgres({ url: database.environment.DATABASE_URL!, poolSize: 1 })
  await using _ = { [Symbol.asyncDispose]: () => watching.close() }
  await other.transaction(async (tx) => {
    // as whoever delivers a result does
    await tx.lockSession('default', id)
    gate.open()
    await expect
      .poll(async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(watching.db)
        return Number(rows[0]!.count)
      })
      .toBe(1)
    const [run] = await tx.listOpenRuns(id)
    expect(run?.status).toBe('running')
    const result = { taskId: 'ses_x', runId: 'run_x', status: 'success', output: 'done', source: 'tool' }
    await tx.deliver(id, { kind: 'task-result', dedupeKey: 'task:run_x', payload: { result, wake: true } })
  })
  expect((await turn).status).toBe('completed')
  await expect.poll(async () => (await parley.store.listInbox(id)).length).toBe(0)
  const { items } = await parley.sessions.messages(id)
  expect(JSON.stringify(items)).toContain('data-task-result')
})
