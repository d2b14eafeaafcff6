import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { calls } from './chat-harness.ts'
import { databases } from './harness.ts'
import { openWorkflows, promptOf } from './workflow-runs-harness.ts'

const runs = Number(process.env.PARLEY_TEST_WORKFLOW_RUNS ?? 12)
const stepsPerRun = 10
const maxGlobal = 10

const definition = stringify({
  name: 'many',
  steps: Array.from({ length: stepsPerRun }, (_, index) => ({
    id: `s${index + 1}`,
    type: 'agent',
    prompt: `number ${index + 1} of run $args.run!`,
  })),
})

describe.each(databases)('many workflows on %s', (name, openDatabase) => {
  it(`${runs} runs of ${stepsPerRun} steps all end, none before its turn and no more at once than there may be`, async () => {
    /** How many steps of each run the model was asked for. */
    const asked = new Map<string, number>()
    let open = 0
    let most = 0
    let spread = 0
    // the first calls wait until there are as many as there may be, however long a busy machine takes to make them
    const together = Promise.withResolvers<void>()
    setTimeout(together.resolve, 60_000).unref()
    await using opened = await openWorkflows(
      openDatabase,
      (request) => {
        const [, step, run] = /number (\d+) of run (\d+)!/.exec(promptOf(request))!
        asked.set(run!, Math.max(asked.get(run!) ?? 0, Number(step)))
        most = Math.max(most, ++open)
        if (most === maxGlobal) together.resolve()
        // while the first are at their last steps, the others must not be at their first
        if (asked.size === runs)
          spread = Math.max(spread, Math.max(...asked.values()) - Math.min(...asked.values()))
        const done = together.promise.then(() => setImmediate()).then(() => open--)
        return [done, ...calls(['set_result', { output: `${run}-${step}` }])]
      },
      { background: { maxGlobal } },
    )
    const started = await Promise.all(
      Array.from({ length: runs }, (_, index) => opened.start(definition, { run: index })),
    )
    await expect
      .poll(
        async () => (await opened.parley.workflows.runs({ status: 'completed', limit: 200 })).items.length,
        {
          timeout: 200_000,
          interval: 100,
        },
      )
      .toBe(runs)
    for (const [index, { id }] of started.entries()) {
      const run = await opened.parley.workflows.getRun(id)
      expect(run.output).toBe(`${index}-${stepsPerRun}`)
      expect(run.steps.map(({ attempt }) => attempt)).toEqual(Array(stepsPerRun).fill(1))
    }
    expect(opened.requests).toHaveLength(runs * stepsPerRun)
    expect(most).toBe(maxGlobal)
    expect(spread).toBeLessThanOrEqual(stepsPerRun / 2)
    process.stdout.write(
      `${name}: ${runs} runs of ${stepsPerRun} steps, ${most} at once of ${maxGlobal}, never more than ${spread} steps apart\n`,
    )
  }, 240_000)
})
