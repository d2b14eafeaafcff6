import { Command } from 'commander'
import type { Restored } from '../backup/restore-backup.ts'
import { requireSqlite } from './backup.ts'
import { loadBuiltIn } from '../extensions/built-in.ts'
import { loadCommandConfig } from './open-parley.ts'
import { printAnswer, printJson, printProgress } from '../core/command-line/output.ts'

interface RestoreFlags {
  force?: boolean
  trusted?: boolean
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into the data folder, while no server uses it')
    .argument('<folder>', 'created by "parley backup"')
    .option('--force', 'move existing data aside')
    .option('--trusted', 'the backup is your own: keep its triggers, permissions and addresses as they are')
    .action(async (source: string, { force, trusted }: RestoreFlags, command: Command) => {
      const { config } = loadCommandConfig(command)
      requireSqlite(config, `pg_restore --clean --if-exists --dbname="$DATABASE_URL" parley.dump`)
      const { restoreBackup } = await import('../backup/restore-backup.ts')
      const extensions = await loadBuiltIn()
      const { dataDir } = config
      const { manifest, replaced, restricted } = await restoreBackup({
        source,
        dataDir,
        force,
        trusted,
        slices: extensions.flatMap(({ store }) => store ?? []),
        report: printProgress,
      })
      if (replaced !== undefined) printProgress(`what was there is in ${replaced}`)
      const { schema, createdAt, files } = manifest
      if (command.optsWithGlobals<{ json?: boolean }>().json)
        return printJson({ dataDir, schema, createdAt, files: files.length, replaced, restricted })
      printAnswer(`${dataDir}: as it was at ${createdAt}, schema version ${schema}; start the server again`)
      for (const line of describe(restricted)) printAnswer(line)
    })
}

/** What a person has to do, a line for each kind of thing. */
function describe(restricted: Restored['restricted']): string[] {
  if (!restricted) return []
  const { triggers, scopes, sessions, roots, approvals, providers } = restricted
  const counted: [string[], string][] = [
    [triggers, 'crons, event hooks and webhooks are paused; resume those that should continue'],
    [scopes, 'scopes lost modes, rules and tool groups that allowed something'],
    [sessions, 'sessions lost the same, and folders they were granted'],
    [roots, 'scopes lost their folder; it counts again when the configuration names it'],
    [approvals, 'answers to unfinished runs are requested again'],
    [providers, 'providers lost their stored key and address; set them again'],
  ]
  const lines = counted.filter(([list]) => list.length > 0).map(([list, what]) => `  ${list.length} ${what}`)
  return lines.length === 0
    ? []
    : ['For safety (--trusted would have kept it; the audit has each change):', ...lines]
}
