import { maskCommand, maskServers, maskUrl } from '../mask.ts'
import { setting } from '../setting.ts'
import {
  commandHooks,
  expandVariables,
  httpUrl,
  mcpServers,
  oneOf,
  path,
  paths,
  privateHosts,
  secretKey,
  variableNames,
  webHosts,
  wholeNumber,
} from '../values.ts'

/** What tools reach and start, and the programs that are asked around their calls. */
export const toolSettings = {
  'web.allowPrivate': setting(privateHosts, {
    description:
      'Hosts, addresses and ranges (`10.0.0.0/8`) that `web_fetch` may reach although they are not public.',
    default: [],
    env: 'PARLEY_WEB_ALLOW_PRIVATE',
  }),
  'web.maxBytes': setting(wholeNumber(1_024, 104_857_600), {
    description: 'So much of a page is read, in bytes, unpacked.',
    default: 5 * 1_024 * 1_024,
  }),
  'web.maxCharacters': setting(wholeNumber(500, 1_000_000), {
    description: 'Characters of a page in one answer to the model; it can ask for more.',
    default: 20_000,
    project: 'always',
  }),
  'web.timeoutMs': setting(wholeNumber(100, 600_000), {
    description: 'How long a page or a search may take, in milliseconds.',
    default: 30_000,
    project: 'always',
  }),
  'web.search.searxngUrl': setting(httpUrl, {
    description: 'Address of a SearXNG server with JSON results; goes before the other engines.',
    env: 'SEARXNG_URL',
    mask: maskUrl,
  }),
  'web.search.braveKey': setting(secretKey(), {
    description: 'Key of the Brave Search API; goes before Tavily.',
    env: 'BRAVE_API_KEY',
    secret: true,
  }),
  'web.search.tavilyKey': setting(secretKey(), {
    description: 'Key of the Tavily API.',
    env: 'TAVILY_API_KEY',
    secret: true,
  }),
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
      'auto: commands run in a sandbox, and where the system has none each one is asked for. off: they do what the user ' +
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
      'Entries of the folders of a command that are looked at before it, for repositories and for what rules close, and ' +
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
  mcpServers: setting(mcpServers, {
    description:
      'MCP servers whose tools models may use, by name: `{command, args, env, cwd}` or `{type: http, url, headers}`. ' +
      'Only in your own file.',
    default: {},
    secret: true,
    mask: maskServers,
    byName: true,
    resolve: (servers, toPath, env) =>
      Object.fromEntries(
        Object.entries(expandVariables(servers, env)).map(([name, server]) => [
          name,
          'cwd' in server && server.cwd !== undefined ? { ...server, cwd: toPath(server.cwd) } : server,
        ]),
      ),
  }),
  'hooks.commands': setting(commandHooks, {
    description:
      'Programs that are asked before and after calls of tools, and before memories are told or stored: ' +
      '`{event, tool, command, timeoutMs, priority, id, onFailure}`. Only in your own file.',
    default: [],
    secret: true,
    mask: (hooks) => hooks.map((hook) => ({ ...hook, command: maskCommand(hook.command) })),
    resolve: (hooks, toPath) =>
      hooks.map(({ command: [program = '', ...args], ...hook }) => ({
        ...hook,
        // a bare name is looked for in the PATH
        command: [/[\\/]/.test(program) ? toPath(program) : program, ...args],
      })),
  }),
  'hooks.timeoutMs': setting(wholeNumber(1, 600_000), {
    description: 'How long a hook may take that says nothing else, in milliseconds.',
    default: 10_000,
  }),
}
