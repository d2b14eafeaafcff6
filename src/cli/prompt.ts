import { Command } from 'commander'
import { withSessions } from './open-parley.ts'
import { formatTable, printAnswer, printJson } from '../core/command-line/output.ts'

interface Preview {
  scenario: string
  epoch: number
  fragments: { name: string; placement: string; tokens: number; hash: string; text: string }[]
  messages: unknown[]
  tools: string[]
  listedTools: string[]
  parameters?: object
}

export function promptCommand(): Command {
  return new Command('prompt')
    .description('show what the model would see with the next input')
    .argument('<session>')
    .option('--text', 'the texts of the fragments, not only their sizes')
    .option('--url <url>', 'of a running server')
    .option('--scope <name>', 'the workspace (default)')
    .action((id: string, _options, command: Command) =>
      withSessions(command, async (sessions) => {
        const { scope, json, text } = command.optsWithGlobals<{
          scope?: string
          json?: boolean
          text?: boolean
        }>()
        const preview = await sessions.prompt(id, { scope })
        if (json) return printJson(preview)
        const { scenario, epoch, fragments, messages, tools, listedTools, parameters } =
          preview as unknown as Preview
        const rows = fragments.map((piece) => [piece.name, piece.placement, String(piece.tokens), piece.hash])
        printAnswer(formatTable(['fragment', 'placement', 'tokens', 'hash'], rows))
        const byLine = listedTools.length > 0 ? `; by a line: ${listedTools.join(', ')}` : ''
        printAnswer(
          `scenario ${scenario}, epoch ${epoch}, ${messages.length} messages, tools: ${tools.join(', ') || 'none'}${byLine}`,
        )
        if (parameters) printAnswer(`parameters: ${JSON.stringify(parameters)}`)
        if (text) for (const piece of fragments) printAnswer(`\n--- ${piece.name}\n${piece.text}`)
      }),
    )
}
