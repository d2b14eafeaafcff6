import { Command } from 'commander'
import { describeConfig, maskConfig } from '../config.ts'
import { loadCommandConfig } from './open-parley.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../core/command-line/output.ts'
import { withSettingFlags } from './setting-flags.ts'

export function configCommand(): Command {
  return withSettingFlags(new Command('config'), 'server')
    .description('show every setting, where it comes from, with secrets masked')
    .action((_options, command: Command) => {
      const loaded = loadCommandConfig(command)
      if (command.optsWithGlobals<{ json?: boolean }>().json)
        return printJson({
          config: maskConfig(loaded),
          origins: loaded.origins,
          files: loaded.files,
          warnings: loaded.warnings,
        })
      for (const file of loaded.files) printProgress(`read ${file.path}`)
      const rows = describeConfig(loaded).map(({ key, value, source, name }) => [
        key,
        value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value),
        source === 'default' ? 'default' : name,
      ])
      printAnswer(formatTable(['setting', 'value', 'from'], rows))
    })
}
