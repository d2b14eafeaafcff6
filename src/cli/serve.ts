import { Command } from 'commander'
import { withSettingFlags } from './setting-flags.ts'

export function serveCommand(): Command {
  return withSettingFlags(new Command('serve'), 'server')
    .description('start the server and the workbench (the default command)')
    .action(async (_options, command: Command) => {
      // only this command needs it, and it is a good part of all that there is to load
      const { runServer } = await import('./run-server.ts')
      await runServer(command)
    })
}
