// npm run test:flaky: runs test files several times, in shuffled order, while other processes take the CPU away, and
// lists each file that ever failed with what that run printed of it.
//   npm run test:flaky -- [--rounds 3] [--burners 4] [part of a file name …]
import { fork } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { attach, environment, packageCommand } from './setup/command.js'
import { runScript, SetupFailure } from './setup/failure.js'
import { root } from './setup/root.js'
import { setUpTests } from './setup/tests.js'

const folder = join(root, 'node_modules', '.cache', 'test', 'flaky')

await runScript(async () => {
  const { rounds, burners, filters } = readArguments()
  const node = await setUpTests()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const burning = Array.from({ length: burners }, () => fork(join(root, 'scripts', 'setup', 'burn-cpu.js')))
  const failures = []
  try {
    for (let round = 1; round <= rounds; round++) {
      const found = await runRound(node, round, filters)
      process.stdout.write(`round ${round} of ${rounds}: ${summarise(found)}\n`)
      failures.push(...found)
    }
  } finally {
    for (const burner of burning) burner.kill()
  }
  for (const failure of failures) process.stdout.write(describeFailure(failure))
  process.stdout.write(`${summarise(failures)} in ${rounds} rounds with ${burners} processes beside them\n`)
  return failures.length === 0 ? 0 : 1
})

function readArguments() {
  const { values, positionals } = parseArgs({
    options: { rounds: { type: 'string' }, burners: { type: 'string' } },
    allowPositionals: true,
  })
  return {
    rounds: requireCount('--rounds', values.rounds ?? '3'),
    burners: requireCount('--burners', values.burners ?? String(availableParallelism() * 2)),
    filters: positionals,
  }
}

function requireCount(name, text) {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new SetupFailure(`${name} takes a whole number from 1 to 9999, not "${text}".`)
}

/** Runs the files once; answers with those that failed. */
async function runRound(node, round, filters) {
  const seed = Math.floor(Math.random() * 1_000_000)
  const report = join(folder, `round-${round}.json`)
  const args = [
    packageCommand('vitest'),
    'run',
    ...filters,
    '--sequence.shuffle.files',
    '--sequence.shuffle.tests',
    `--sequence.seed=${seed}`,
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const code = await attach(node, args, {
    env: environment(node),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { testResults } = readReport(report)
  const failed = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, message, assertionResults }) => ({
      round,
      seed,
      file: relative(root, name),
      texts: [
        message,
        ...assertionResults
          .filter((result) => result.status === 'failed')
          .flatMap(({ fullName, failureMessages }) => [fullName, ...failureMessages]),
      ].filter(Boolean),
    }))
  if (code === 0 || failed.length > 0) return failed
  return [{ round, seed, file: 'no single file', texts: [`Vitest ended with code ${code}.`] }]
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { testResults: [] } // it ended before it wrote one; its exit code says so
  }
}

function summarise(failures) {
  const files = new Set(failures.map(({ file }) => file))
  return files.size === 0 ? 'no file failed' : `${files.size} files failed (${[...files].join(', ')})`
}

function describeFailure({ round, seed, file, texts }) {
  const again = `npm test -- ${file} --sequence.shuffle.tests --sequence.seed=${seed}`
  return `\n${file}, round ${round}; again in the same order: ${again}\n${texts.join('\n')}\n`
}
