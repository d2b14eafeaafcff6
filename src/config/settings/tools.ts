import { maskCommand, maskServers, maskUrl } from '../mask.ts'
import { setting } from '../setting.ts'
import {
  commandHooks,
  expandVariables,
  httpUrl,
  mcpServers,
  privateHosts,
  secretKey,
  variableNames,
  wholeNumber,
} from '../values.ts'

/** What tools reach and start, and the programs that are asked around their calls. */
export const toolSettings = {
  'web.allowPrivate': setting(privateHosts, {
    description:
      'Hosts, addresses and ranges (`10.0.0.0/8`) that `web_fetch` may reach although they are not public.',
    default: [],
    env: 'PARLEY_WEB_ALLOW_PRIVATE',
    userOnly: true,
  }),
  'web.maxBytes': setting(wholeNumber(1_024, 104_857_600), {
    description: 'So much of a page is read, in bytes, unpacked.',
    default: 5 * 1_024 * 1_024,
  }),
  'web.maxCharacters': setting(wholeNumber(500, 1_000_000), {
    description: 'Characters of a page in one answer to the model; it can ask for more.',
    default: 20_000,
  }),
  'web.timeoutMs': setting(wholeNumber(100, 600_000), {
    description: 'How long a page or a search may take, in milliseconds.',
    default: 30_000,
  }),
  'web.search.searxngUrl': setting(httpUrl, {
    description: 'Address of a SearXNG server with JSON results; goes before the other engines.',
    env: 'SEARXNG_URL',
    mask: maskUrl,
    userOnly: true,
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
  }),
  'terminal.maxTimeoutSeconds': setting(wholeNumber(1, 86_400), {
    description: 'The most that the model may ask for, in seconds.',
    default: 300,
  }),
  'terminal.maxOutput': setting(wholeNumber(500, 1_000_000), {
    description: 'Characters of output in one answer to the model: the beginning and the end.',
    default: 8_192,
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
    userOnly: true,
  }),
  mcpServers: setting(mcpServers, {
    description:
      'MCP servers whose tools models may use, by name: `{command, args, env, cwd}` or `{type: http, url, headers}`. ' +
      'Only in your own file.',
    default: {},
    secret: true,
    mask: maskServers,
    fileOnly: true,
    byName: true,
    userOnly: true,
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
    fileOnly: true,
    userOnly: true,
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
    // hooks that have no time to answer are none
    userOnly: true,
  }),
}
