import { Command } from 'commander'
import type { Config } from '../config.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import { readVersion } from '../version.ts'
import { loadCommandConfig } from './open-parley.ts'
import { printAnswer, printJson, printProgress } from '../core/command-line/output.ts'

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the database and its files into a folder, even while a server uses them')
    .argument('<folder>', 'to create')
    .option('--force', 'replace an earlier backup of that name')
    .action(async (target: string, { force }: { force?: boolean }, command: Command) => {
      const { config } = loadCommandConfig(command)
      requireSqlite(config, `pg_dump --format=custom --file=parley.dump "$DATABASE_URL"`)
      const { createBackup } = await import('../backup/create-backup.ts')
      const manifest = await createBackup({
        dataDir: config.dataDir,
        target,
        force,
        version: readVersion(),
        report: printProgress,
        onStart: undoWhenStopped,
      })
      const { files, schema, createdAt } = manifest
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      if (command.optsWithGlobals<{ json?: boolean }>().json)
        printJson({ folder: target, schema, createdAt, files: files.length, bytes })
      else
        printAnswer(
          `${target}: ${files.length} ${files.length === 1 ? 'file' : 'files'}, ${bytes} bytes, schema version ${schema}`,
        )
    })
}

/** PostgreSQL has tools for this that do more than we could. */
export function requireSqlite({ databaseUrl, dataDir }: Config, command: string): void {
  if (databaseUrl === undefined) return
  throw invalidRequest(
    `The store is PostgreSQL (DATABASE_URL), which has its own tools. Use: ${command}\n` +
      `The folders of sessions are in ${dataDir}/workspaces on each node; copy them as files.`,
  )
}

function undoWhenStopped(undo: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      undo()
      process.exit(130)
    })
}
