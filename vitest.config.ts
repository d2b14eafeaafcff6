import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

const architecture = 'test/architecture.test.ts'

export default defineConfig({
  test: {
    reporters: ['default', './test/summary-reporter.ts'],
    // an empty project is fine; that no test at all ran is noticed by scripts/test.js
    passWithNoTests: true,
    // they wait for processes, databases and pages more than they compute
    maxWorkers: 2 * availableParallelism(),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', architecture],
          // a busy machine makes the slowest of them take as many seconds as the default has
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, architecture],
          globalSetup: ['./test/build.js', './test/postgres.ts'],
          // real servers, real databases, on a busy machine
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
})
