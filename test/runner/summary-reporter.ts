import type { Reporter, TestModule } from 'vitest/node'

type Counts = { passed: number; failed: number; skipped: number }

/**
 * Hands the figures of a run to scripts/test.js, which prints them when everything else has been printed.
 * Run without it (plain `vitest`), prints them itself.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]) {
    const counts = count(modules, unhandledErrors)
    if (process.send) process.send(counts)
    else process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  }
}

function count(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      // a test that never ended was cut short by a crash or by Ctrl-C
      counts[state === 'pending' ? 'failed' : state]++
    }
    // a file that does not load and a hook that throws fail outside of any test
    for (const suite of [module, ...module.children.allSuites()]) {
      if (suite.errors().length > 0) counts.failed++
    }
  }
  return counts
}
