import { z } from 'zod'
import { defineSettings } from '../../core/settings/settings-slice.ts'
import { setting } from '../../core/settings/setting.ts'
import { oneOf, path, paths, wholeNumber } from '../../core/settings/values.ts'

const webHostError = 'a host such as example.com, *.example.com or example.com:8443, without scheme or path'
const webHosts = z
  .array(
    z
      .string(webHostError)
      .regex(/^((\*\.)?[a-z0-9_]([a-z0-9_.-]{0,250}[a-z0-9_])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/i, webHostError)
      .toLowerCase(),
    'a list of hosts',
  )
  .max(1_000, 'a list of at most 1000 hosts')

const variableError = 'the name of an environment variable, such as JAVA_HOME'
const variableNames = z.array(
  z.string(variableError).regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, variableError),
  'a list of names of environment variables',
)

export const terminalSettings = defineSettings({
  listedAfter: 'window',
  toOptions: ({ terminal }, environment) => ({ terminal: { ...terminal, environment } }),
  table: {
    'terminal.timeoutSeconds': setting(wholeNumber(1, 86_400), {
      description: 'How long a command may take when the model says nothing else, in seconds.',
      default: 30,
      project: 'always',
    }),
    'terminal.maxTimeoutSeconds': setting(wholeNumber(1, 86_400), {
      description: 'The most that the model may ask for, in seconds.',
      default: 300,
    }),
    'terminal.maxOutput': setting(wholeNumber(500, 1_000_000), {
      description: 'Characters of output in one answer to the model: the beginning and the end.',
      default: 8_192,
      project: 'always',
    }),
    'terminal.maxLogBytes': setting(wholeNumber(0, 10_737_418_240), {
      description: 'Longer output is kept in a file of the session, up to so many bytes.',
      default: 10 * 1_024 * 1_024,
    }),
    'terminal.maxPerSession': setting(wholeNumber(0, 100), {
      description: 'Most shells that one session may keep open at a time.',
      default: 5,
    }),
    'terminal.idleMs': setting(wholeNumber(1_000, 604_800_000), {
      description: 'A shell that the model has not used for so long is ended, in milliseconds.',
      default: 1_800_000,
    }),
    'terminal.variables': setting(variableNames, {
      description: 'Names of variables that commands get to see, besides those that every program needs.',
      default: [],
    }),
    'terminal.sandbox': setting(oneOf('auto', 'off'), {
      description:
        'auto: commands run in a sandbox; where the system has none, each one needs approval. off: they do what the user ' +
        'of Parley may do, by modes and rules alone.',
      default: 'auto',
      env: 'PARLEY_TERMINAL_SANDBOX',
    }),
    'terminal.network': setting(oneOf('off', 'on'), {
      description:
        'Whether commands in the sandbox reach the network, and with it all that listens on this machine.',
      default: 'off',
    }),
    'terminal.hosts': setting(webHosts, {
      description:
        'Hosts that commands reach by HTTP and HTTPS while `terminal.network` is off: `example.com`, `*.example.com`, ' +
        '`example.com:8443`. On Linux.',
      default: [],
    }),
    'terminal.readable': setting(paths, {
      description:
        'Files and folders that commands in the sandbox may read, besides those of the system and the workspaces.',
      default: [],
      resolve: (list, toPath) => list.map(toPath),
    }),
    'terminal.maxMemoryBytes': setting(wholeNumber(64 * 1_024 ** 2, 1_024 ** 5), {
      description: 'Memory that one process of a command in the sandbox may fill with data, in bytes.',
      default: 4 * 1_024 ** 3,
    }),
    'terminal.maxProcesses': setting(wholeNumber(8, 1_000_000), {
      description:
        'Processes of one command in the sandbox at a time. Does not hold for a Parley that runs as root.',
      default: 512,
    }),
    'terminal.maxTemporaryBytes': setting(wholeNumber(1_024 ** 2, 1_024 ** 5), {
      description:
        'Room in each of the folders that a command in the sandbox has for itself (`/tmp`, the home), in bytes.',
      default: 1_024 ** 3,
    }),
    'terminal.maxLookedEntries': setting(wholeNumber(0, 10_000_000), {
      description:
        'Entries of the folders of a command that are checked before it, for repositories and for what rules close, and ' +
        'after it, for changes of files that other programs run. Those near the top come first.',
      default: 20_000,
    }),
    'terminal.maxGuarded': setting(wholeNumber(0, 1_000), {
      description:
        'Repositories below the top of a workspace whose hooks and settings a command cannot write, and how many files and ' +
        'folders that rules close are kept from it; where there are more of the latter, it is not run.',
      default: 100,
    }),
    'terminal.bubblewrap': setting(path, {
      description: 'The program `bwrap` that makes the sandbox on Linux.',
      defaultText: 'the one in the PATH',
      resolve: (file, toPath) => toPath(file),
    }),
  },
})
