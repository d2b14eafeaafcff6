import { Command } from 'commander'
import { restoreBackup } from '../backup/restore-backup.ts'
import { requireSqlite } from './backup.ts'
import { loadCommandConfig } from './open.ts'
import { printAnswer, printJson, printProgress } from './output.ts'

export function restoreCommand(): Command {
  return new Command('restore')
    .description('put a backup into the data folder, when no server works on it')
    .argument('<folder>', 'that "parley backup" made')
    .option('--force', 'move what is there aside')
    .action(async (source: string, { force }: { force?: boolean }, command: Command) => {
      const { config } = loadCommandConfig(command)
      requireSqlite(config, `pg_restore --clean --if-exists --dbname="$DATABASE_URL" parley.dump`)
      const { dataDir } = config
      const { manifest, replaced } = await restoreBackup({ source, dataDir, force, report: printProgress })
      if (replaced !== undefined) printProgress(`what was there is in ${replaced}`)
      const { schema, createdAt, files } = manifest
      if (command.optsWithGlobals<{ json?: boolean }>().json)
        return printJson({ dataDir, schema, createdAt, files: files.length, replaced })
      printAnswer(`${dataDir}: as it was at ${createdAt}, schema version ${schema}; start the server again`)
    })
}
