import { Command } from 'commander'
import { formatTable, printAnswer, printJson } from '../core/command-line/output.ts'
import { exact } from '../core/command-line/printable.ts'
import { openCommandConfig } from './open-parley.ts'

export function extensionsCommand(): Command {
  const extensions = new Command('extensions').description('list extensions, or create one')
  extensions
    .command('list')
    .description('the extensions in the configuration')
    .action(async (_options, command: Command) => {
      const { loadExtensions } = await import('./load-extensions.ts')
      const loaded = await loadExtensions(await openCommandConfig(command))
      const items = loaded.map(({ extension: { name, version }, file }) => ({ name, version, file }))
      if (command.optsWithGlobals<{ json?: boolean }>().json) return printJson({ items })
      if (items.length === 0) return printAnswer('The configuration names no extensions.')
      const rows = items.map(({ name, version = '', file }) => [name, version, exact(file)])
      printAnswer(formatTable(['name', 'version', 'file'], rows))
    })
  extensions
    .command('new <name>')
    .description('create a folder with a small extension and its test')
    .action(async (name: string, _options, command: Command) => {
      const { scaffoldExtension } = await import('./new-extension.ts')
      const { folder, files } = scaffoldExtension(name)
      if (command.optsWithGlobals<{ json?: boolean }>().json) return printJson({ folder, files })
      printAnswer(['Made ', exact(folder), `: ${files.join(', ')}`])
    })
  return extensions
}
