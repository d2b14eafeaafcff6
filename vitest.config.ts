import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import LongestFirst from './test/runner/longest-first.ts'

const architecture = 'test/architecture.test.ts'
// more than there are cores: many tests wait for databases, processes, pages and clocks; each more costs what it loads
const maxWorkers = availableParallelism() + 3
const setupFiles = ['./test/runner/measure-cost.ts']

// npm run test:quick: what needs a browser, kills processes, starts them by the dozen, or tries very many values
const slow = [
  'test/{e2e,faults}/**',
  'test/{cli,docs,mcp}*',
  'test/{agent,backup,cache,container,examples,injection,long-texts,migrations,observe-many,package,secrets}.test.ts',
  'test/{cancel-property,cron-day,cron-oracle,plan-reply-fuzz,plan-turn-fuzz,room-werewolf,spawn-bomb,store-parity,stored-state,workbench-api}.test.ts',
  'test/{terminal-tool,turn-faults,window-faults,window-long,window-property,workflow-fuzz,workflow-load}.test.ts',
  'test/{background,cron-parley,knowledge-extract,knowledge-query,memory,observers,plan-http,plan-tree,rollback,tool-inputs,workbench-data}.test.ts',
  'test/{events-ws,file-tool,hook-commands,knowledge,observe-resume,room-commands,telemetry,web-tools,workflow-run}.test.ts',
  'test/imports/large-file.test.ts',
  'test/http/{bad-input,fuzz,idempotency,imports,json-suite,keys,openapi,scopes}.test.ts',
]
const isQuick = process.env.PARLEY_TEST_TIER === 'quick'
// a busy machine makes the slowest of them take as many seconds as the default has; long ones do many times as much
const testTimeout = process.env.PARLEY_TEST_TIER === 'long' ? 900_000 : 240_000
const isShuffled = process.argv.some((argument) => argument.startsWith('--sequence.'))

export default defineConfig({
  test: {
    reporters: ['default', './test/runner/cost-reporter.ts', './test/runner/summary-reporter.ts'],
    // an empty project is fine; that no test at all ran is noticed by scripts/test.js
    passWithNoTests: true,
    maxWorkers,
    // npm run test:flaky shuffles them
    ...(isShuffled ? {} : { sequence: { sequencer: LongestFirst } }),
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', architecture],
          // nothing in src has a state of its own: to load everything again for each file would only take time
          isolate: false,
          testTimeout,
        },
      },
      {
        // components as the build makes them, in a document without a browser
        extends: './web/vite.config.ts',
        test: {
          name: 'components',
          maxWorkers,
          environment: 'happy-dom',
          setupFiles: [...setupFiles, './web/test/after-each.ts'],
          include: ['web/src/**/*.test.tsx'],
          isolate: false,
          testTimeout,
        },
      },
      {
        // the examples import the package as programs do
        resolve: {
          alias: { 'parley/extension': join(import.meta.dirname, 'src', 'extension.ts') },
        },
        test: {
          name: 'integration',
          setupFiles,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, architecture, ...(isQuick ? slow : [])],
          globalSetup: ['./test/runner/global-setup.ts'],
          // as above: to load everything again for each of 300 files would be a third of all that is computed
          isolate: false,
          // real servers, real databases, on a busy machine
          testTimeout,
          hookTimeout: 240_000,
          // nearly as long as a test may take: less would be an opinion about the speed of the machine
          expect: { poll: { timeout: 200_000 } },
        },
      },
    ],
  },
})
