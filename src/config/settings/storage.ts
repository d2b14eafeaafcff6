import { setting } from '../../core/settings/setting.ts'
import { folder, onOff, oneOf, scopeRoots, wholeNumber } from '../../core/settings/values.ts'

/** The store: retention, connections, and the mirror. */
export const storageSettings = {
  'events.keptDays': setting(wholeNumber(1, 36_500), {
    description: 'Days for which the events of a scope are kept.',
    default: 7,
  }),
  'audit.keptDays': setting(wholeNumber(1, 36_500), {
    description: 'Days for which the audit is kept.',
    default: 90,
  }),
  'sqlite.synchronous': setting(oneOf('FULL', 'NORMAL'), {
    description:
      'FULL: an acknowledged write survives a power cut. NORMAL: faster, survives a crash of Parley only.',
    default: 'FULL',
  }),
  'sqlite.busyTimeoutMs': setting(wholeNumber(0, 600_000), {
    description: 'How long to wait for another process that is writing to the database, in milliseconds.',
    default: 5_000,
  }),
  'postgres.poolSize': setting(wholeNumber(1, 1_000), {
    description: 'Maximum number of connections to PostgreSQL.',
    default: 10,
  }),
  'postgres.connectTimeoutMs': setting(wholeNumber(100, 600_000), {
    description:
      'How long a request waits for a connection to PostgreSQL, in milliseconds, before it is rejected with 503.',
    default: 5_000,
  }),
  'postgres.preparedStatements': setting(onOff, {
    description:
      'Have each connection to PostgreSQL keep the statements that are sent often, parsed. Turn it off for a pooler that does not support this.',
    default: true,
  }),
  'history.size': setting(wholeNumber(0, 100_000), {
    env: 'PARLEY_HISTORY_SIZE',
    description:
      'How many messages that were written at a terminal are kept for the arrow keys, in `<dataDir>/history.jsonl`. 0 keeps none.',
    default: 1_000,
  }),
  'mirror.enabled': setting(onOff, {
    description: 'Keep a readable copy of every session (`meta.json`, `messages.jsonl`) on disk.',
    default: false,
  }),
  'mirror.dir': setting(folder, {
    description: 'Folder of that copy.',
    default: ({ dataDir, path }) => path.join(dataDir, 'mirror'),
    defaultText: '`<dataDir>/mirror`',
    resolve: (value, toPath) => toPath(value),
  }),
  scopes: setting(scopeRoots, {
    description:
      'Scopes by name, each with its folder: `{root}`. A relative folder is resolved from the file that names it; in a project file it must be inside the folder of that file.',
    default: {},
    byName: true,
    folders: (scopes) => Object.values(scopes).map(({ root }) => root),
    resolve: (scopes, toPath) =>
      Object.fromEntries(
        Object.entries(scopes).map(([name, scope]) => [name, { ...scope, root: toPath(scope.root) }]),
      ),
    project: 'always',
  }),
}
