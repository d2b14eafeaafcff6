import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

const architecture = 'test/architecture.test.ts'
const setupFiles = ['./test/runner/measure-cost.ts']

export default defineConfig({
  test: {
    reporters: ['default', './test/runner/cost-reporter.ts', './test/runner/summary-reporter.ts'],
    // an empty project is fine; that no test at all ran is noticed by scripts/test.js
    passWithNoTests: true,
    // more than there are cores: many tests wait for databases, processes, pages and clocks
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', architecture],
          // nothing in src has a state of its own: to load everything again for each file would only take time
          isolate: false,
          // a busy machine makes the slowest of them take as many seconds as the default has
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          setupFiles,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, architecture],
          globalSetup: ['./test/runner/global-setup.ts'],
          // as above: to load everything again for each of 300 files would be a third of all that is computed
          isolate: false,
          // real servers, real databases, on a busy machine
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
})
