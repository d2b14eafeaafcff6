import { describe, expect, it } from 'vitest'
import { checkCommand, requireTestCommands } from './check-test-command.ts'
import { defaultRoomLimits } from './room-service.ts'

const { testCommands } = defaultRoomLimits
const check = (command: string, allowed = testCommands) => checkCommand(command, allowed)

describe('a command', () => {
  it.each([
    ['npm test', ['npm', 'test']],
    ['  npm   test\t-- --watch=false ', ['npm', 'test', '--', '--watch=false']],
    ['npm run test', ['npm', 'run', 'test']],
    ['node --test test/a.test.js', ['node', '--test', 'test/a.test.js']],
    ['node --test --test-name-pattern "adds two"', ['node', '--test', '--test-name-pattern', 'adds two']],
    ["npm test -- -t 'it\"s'", ['npm', 'test', '--', '-t', 'it"s']],
    ['npm test -- -c jest.config.js', ['npm', 'test', '--', '-c', 'jest.config.js']],
    ['npm test -- --grep="x"y', ['npm', 'test', '--', '--grep=xy']],
    ["npm test ''", ['npm', 'test', '']],
  ])('%s is run', (command, [file, ...args]) => {
    expect(check(command)).toEqual({ ok: true, file, args })
  })

  it.each([
    'npm test; rm -rf x',
    'npm test && rm x',
    'npm test & rm x',
    'npm test || true',
    'npm test | tee log',
    'npm test > log',
    'npm test < input',
    'npm test 2>&1',
    'npm test $(whoami)',
    'npm test ${HOME}',
    'npm test $HOME',
    'npm test `whoami`',
    'npm test\nrm -rf x',
    'npm test\r\nrm',
    'npm test\0',
    'npm test *.js',
    'npm test a?.js',
    'npm test [ab].js',
    'npm test {a,b}',
    'npm test ~/x',
    'npm test !1',
    'npm test # no',
    'npm test \\; rm',
    'npm test -- "a;b"',
    "npm test -- '$HOME'",
    'npm test "open',
    "npm test 'open",
    '(npm test)',
    '\x1b[1mnpm test',
  ])('%j is more than words', (command) => {
    expect(check(command)).toEqual({ ok: false, reason: 'command_injection_characters' })
  })

  it.each([
    'rm -rf build',
    '/bin/rm -rf build',
    'curl https://example.com',
    'wget x',
    'sudo npm test',
    'chmod 777 x',
    'dd if=a of=b',
    'mkfs.ext4 x',
    'shutdown now',
    'node --test -e "process.exit"',
    'node --test --eval=1',
    'node -p 1',
    'node --test --require ./x.js',
    'node --test -r ./x.js',
    'node --import ./x.js --test',
    'node --test --experimental_loader ./x.mjs',
    'node --test --inspect=0.0.0.0:9229',
    'node --test --test-reporter-destination=/etc/motd',
    'node --test --inspect-brk',
    'node --test --env-file=.env',
    'node --test --env-file-if-exists=.env',
    'node --test --inspect_port=1',
    'bash -lc "npm test"',
    'sh -c "npm test"',
    'python3 -c pass',
    'powershell -Command x',
    'npm test --prefix ../other',
    'npm test -C ../other',
    'npm test --script-shell=./x',
    'npm test --node-opt=--import=./x.js',
    'yarn test --cwd ../other',
  ])('%s is malicious', (command) => {
    expect(check(command)).toEqual({ ok: false, reason: 'malicious_command' })
  })

  it.each([
    '',
    '   ',
    '""',
    'npm',
    'npm testify',
    'npm install',
    'npm run test:unit',
    'NPM test',
    'npm t',
    'CI=1 npm test',
    'make test',
    'bash test.sh',
    'bash -l',
    './npm test',
    'npx vitest',
  ])('%j is not on the list', (command) => {
    expect(check(command)).toEqual({ ok: false, reason: 'allowlist_mismatch' })
  })

  it('may begin with what the operator allows', () => {
    expect(check('make test unit', ['make test'])).toMatchObject({ ok: true, args: ['test', 'unit'] })
    expect(check('npm test', ['make test'])).toMatchObject({ ok: false })
    expect(check('npm test', [])).toMatchObject({ ok: false })
    expect(check('npm test', ['', ' '])).toMatchObject({ ok: false })
  })
})

describe('the list', () => {
  it('is the default when it is empty, else what is given', () => {
    expect(requireTestCommands([])).toEqual(testCommands)
    expect(requireTestCommands(['make  check', './run-tests'])).toEqual(['make  check', './run-tests'])
  })

  it.each(['', 'npm test; ls', 'rm', 'node -e', 'sh -c', '"open', 'npm test *'])('refuses %j', (entry) => {
    expect(() => requireTestCommands(['npm test', entry])).toThrow(/rooms.testCommands: .* cannot be allowed/)
  })
})
