import { Command } from 'commander'
import type { Approval, DecideApproval } from '../core/protocol/approval.ts'
import type { PreviewTexts } from '../core/protocol/ask-texts.ts'
import type { CommandContext } from '../core/command-line/command-group.ts'
import { describeApproval } from '../core/command-line/ask-person.ts'
import { withApi } from './open-parley.ts'
import { printAnswer, printJson, printProgress } from '../core/command-line/output.ts'
import type { Shown } from '../core/command-line/printable.ts'

interface Given {
  scope?: string
  session?: string
  json?: boolean
  always?: boolean
  message?: string
}

/** What waits for a yes or no, from another terminal. */
export function approvalsCommand({ previews }: Pick<CommandContext, 'previews'>): Command {
  const command = new Command('approvals').description('list, approve and deny what sessions ask for')
  command
    .command('list', { isDefault: true })
    .description('asks that wait for a decision')
    .option('-s, --session <id>', 'only of one session and its tasks')
    .option('--url <url>', 'of a running server')
    .option('--scope <name>', 'the workspace (default)')
    .action((_options, own: Command) =>
      withApi(own, async ({ approvals }) => {
        const { scope, session, json } = own.optsWithGlobals<Given>()
        const page = await approvals.list({ scope, session })
        if (json) return printJson(page)
        if (page.items.length === 0) printProgress('Nothing waits.')
        for (const approval of page.items) printAnswer(toLine(approval, previews))
      }),
    )
  command.addCommand(
    decision('approve', 'allow the call').option('--always', 'and the same calls from now on'),
  )
  command.addCommand(
    decision('deny', 'reject the call').option('--message <text>', 'the reason, for the model'),
  )
  return command
}

function decision(name: DecideApproval['decision'], description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<id>')
    .option('--url <url>', 'of a running server')
    .option('--scope <name>', 'the workspace (default)')
    .action((id: string, _options, own: Command) =>
      withApi(own, async ({ approvals }) => {
        const { scope, always, message, json } = own.optsWithGlobals<Given>()
        const decided = await approvals.decide(id, {
          scope,
          decision: name,
          ...(always && { remember: 'session' as const }),
          ...(message && { message }),
        })
        if (json) printJson(decided)
        else printProgress(`${decided.status}: ${decided.toolName} ${decided.action}`)
      }),
    )
}

const toLine = (approval: Approval, previews: PreviewTexts): Shown => [
  `${approval.id}  session ${approval.sessionId}, until ${approval.expiresAt}\n`,
  describeApproval(approval, previews),
]
