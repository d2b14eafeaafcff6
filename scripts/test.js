// npm test: sets up what is missing, runs every suite and ends with the line `N passed, N failed`.
//   npm test -- [part of a file name …] [options of Vitest]
//   npm run test:quick: no browser, no PostgreSQL, no processes that are killed
//   npm run test:long: the same tests as npm test, many more kills, faults, variants and random requests
import { attach, environment, packageCommand } from './setup/command.js'
import { report, runScript } from './setup/failure.js'
import { setUpTests } from './setup/tests.js'

// before a release
const long = {
  PARLEY_TEST_TIER: 'long',
  PARLEY_TEST_KILLS: '200',
  PARLEY_TEST_CHAT_KILLS: '100',
  PARLEY_TEST_TASK_KILLS: '100',
  PARLEY_TEST_TASKS: '400',
  PARLEY_TEST_QUEUED: '1000',
  PARLEY_TEST_DATABASE_STOPS: '6',
  PARLEY_TEST_OUTAGE_MS: '10000',
  PARLEY_TEST_ZOMBIES: '20',
  PARLEY_TEST_OWNER_KILLS: '100',
  PARLEY_TEST_FUZZ: '20000',
  PARLEY_TEST_WORKFLOW_FUZZ: '20000',
  PARLEY_TEST_WORKFLOW_RUNS: '100',
  PARLEY_TEST_PLAN_FUZZ: '20000',
  PARLEY_TEST_GROWTH_NODES: '800',
  PARLEY_TEST_GROWTH_ITEMS: '400',
  PARLEY_TEST_PLAN_KILLS: '100',
  PARLEY_TEST_WORKFLOW_KILLS: '100',
  PARLEY_TEST_ROOM_KILLS: '100',
  PARLEY_TEST_MIGRATION_KILLS: '1000',
  PARLEY_TEST_EXPORTS: '1000',
  PARLEY_TEST_SWAPS: '20000',
  PARLEY_TEST_ENTRIES: '100000',
  PARLEY_TEST_TEXT: '1000000',
  PARLEY_TEST_DAMAGES: '1000',
  PARLEY_TEST_FILTERS: '5000',
  PARLEY_TEST_NAUGHTY: '1',
  PARLEY_TEST_KEYS: '200',
  PARLEY_TEST_CANCELS: '100',
  PARLEY_TEST_MCP_ROUNDS: '500',
  PARLEY_TEST_WRONG_KEYS: '10000',
  PARLEY_TEST_PROPERTY_FACTOR: '10',
  PARLEY_TEST_KEY_SHIFTS: '100',
  PARLEY_TEST_GUARD_KILLS: '50',
  PARLEY_TEST_STOPS: '25',
  PARLEY_TEST_POINTS: 'all',
  PARLEY_TEST_HALF_OPEN: '50',
  PARLEY_TEST_CALLERS: '200',
  PARLEY_TEST_RACED: '2000',
  PARLEY_TEST_CRON_KILLS: '40',
  PARLEY_TEST_CRON_TIMES: '1000',
  PARLEY_TEST_STORE_OPERATIONS: '10000',
  PARLEY_TEST_READERS: '1000',
  PARLEY_TEST_CONNECTIONS: '10000',
  PARLEY_TEST_GAMES: '200',
  PARLEY_TEST_SCHEDULES: '200',
  PARLEY_TEST_LINES: '170000',
}
const quick = { PARLEY_TEST_TIER: 'quick' }
const tiers = { '--quick': quick, '--long': long }
const tier = tiers[process.argv[2]]
const args = process.argv.slice(tier ? 3 : 2)

await runScript(async () => {
  const { counts, code } = await runTests()
  const { passed, skipped } = counts
  // a run that ended badly without naming a failed test is itself the failure
  const failed = code === 0 ? counts.failed : Math.max(counts.failed, 1)
  if (passed + failed === 0) process.stderr.write('No test ran.\n')
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  if (code !== 0) return code
  return failed === 0 && passed > 0 ? 0 : 1
})

async function runTests() {
  // until the reporter has spoken the run counts as crashed, whatever Vitest exits with
  let counts = { passed: 0, failed: 1, skipped: 0 }
  try {
    const node = await setUpTests()
    const code = await attach(node, [packageCommand('vitest'), 'run', ...args], {
      env: { ...tier, ...environment(node) },
      // without our stdin Vitest leaves the terminal alone, and Ctrl-C stays a signal
      stdio: ['ignore', 'inherit', 'inherit'],
      onMessage: (message) => (counts = message),
    })
    return { counts, code }
  } catch (error) {
    report(error)
    return { counts, code: 1 }
  }
}
