import { resolve } from 'node:path'
import { Command } from 'commander'
import { loadConfig } from '../config.ts'
import type { NamedCode } from '../core/settings/named-code.ts'
import { toTrustedCode } from './ask-trust.ts'
import { readCommandConfig } from './open-parley.ts'
import { formatTable, printAnswer, printJson } from '../core/command-line/output.ts'
import { exact } from '../core/command-line/printable.ts'

interface TrustOptions {
  list?: boolean
  remove?: boolean
  json?: boolean
}

/** What the configuration in this very folder names to be run. */
function readCodeOf(folder: string): NamedCode[] {
  const { project } = loadConfig({ cwd: folder })
  return project?.folder === folder ? project.code : []
}

export function trustCommand(): Command {
  return new Command('trust')
    .description(
      'use the workflows, agents, skills, commands, model and extensions of a folder; do so only if you trust their authors',
    )
    .argument('[folder]', 'the folder, with everything below it; the current one by default')
    .option('--list', 'list trusted folders')
    .option('--remove', 'stop trusting it')
    .action((folder: string | undefined, _options, command: Command) => {
      const { trust } = readCommandConfig(command)
      const { list, remove, json } = command.optsWithGlobals<TrustOptions>()
      if (list) {
        const folders = trust.list()
        const rows = folders.map(({ path, trustedAt }) => [new Date(trustedAt).toISOString(), exact(path)])
        if (json) printJson({ folders })
        else printAnswer(rows.length > 0 ? formatTable(['SINCE', 'FOLDER'], rows) : 'No folder is trusted.')
        return
      }
      const path = resolve(folder ?? '.')
      if (remove) {
        const removed = trust.remove(path)
        if (json) printJson({ removed })
        else if (removed.length === 0) printAnswer([exact(path), ' was not trusted.'])
        else for (const one of removed) printAnswer(['No longer trusted: ', exact(one.path)])
        return
      }
      const code = readCodeOf(path)
      const added = trust.add(path, Date.now(), toTrustedCode(code))
      if (json) return printJson(added)
      printAnswer(['Trusted: ', exact(added.path)])
      for (const { module, problem } of code)
        if (problem === undefined) printAnswer(['It may run: ', exact(module)])
        else printAnswer(['Not run: ', exact(module), ` ${problem}`])
    })
}
