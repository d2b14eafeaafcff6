import { Command } from 'commander'
import type { PreviewTexts } from '../core/protocol/ask-texts.ts'
import { askPerson } from '../core/command-line/ask-person.ts'
import type {
  Api,
  CommandContext,
  CommandGroup,
  Listener,
  TalkOptions,
} from '../core/command-line/command-group.ts'
import { createMessageReader } from '../core/command-line/message-reader.ts'
import { printAnswer, printProgress } from '../core/command-line/output.ts'
import { readParameters, withParameters } from '../core/command-line/parameter-options.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import { messageText } from '../core/protocol/message-text.ts'
import { findSession } from './find-session.ts'
import { withSessions } from './open-parley.ts'
import { printTurn } from './print-turn.ts'
import { printEvents, runTurn, withRunOptions, type RunOptions } from './run.ts'

const shownMessages = 6

interface ChatOptions extends RunOptions {
  print?: boolean
}

export function chatCommand(context: CommandContext): Command {
  return withParameters(withRunOptions(new Command('chat')))
    .description('chat in the terminal; Ctrl-C stops the answer, a second one or Ctrl-D exits')
    .argument('[prompt]', 'what is said first')
    .option('-p, --print', 'print the answer to the prompt and exit, as "parley run" does')
    .option('--url <url>', 'of a running server; without it turns run in this process')
    .option('--scope <name>', 'the workspace (default)')
    .addHelpText('after', inputsHelp)
    .action((prompt: string | undefined, _options, command: Command) => {
      const { print, outputFormat } = command.opts<ChatOptions>()
      if (print)
        return withSessions(command, (sessions) => runTurn(sessions, prompt, command.optsWithGlobals()))
      if (outputFormat !== undefined)
        throw invalidRequest('--output-format needs --print: a chat at the terminal has no other format.')
      return context.run<TalkOptions>(command, (api, options) => context.talk(api, { ...options, prompt }))
    })
}

const inputsHelp = `
A line that ends in \\ goes on in the next one; what is pasted is part of the message. The arrow keys find earlier
messages, also of other chats; one that begins with a blank is not kept.`

/** `groups` handle the data parts of a turn. */
export async function talk(
  groups: readonly CommandGroup[],
  api: Api,
  options: TalkOptions,
  previews: PreviewTexts,
): Promise<void> {
  const { sessions, approvals } = api
  const { scope, model, prompt, json } = options
  const parameters = readParameters(options)
  const session = await sessions.get(await findSession(sessions, options), { scope })
  printProgress(`session ${session.id}; Ctrl-C stops an answer, Ctrl-D ends`)
  if (session.messageCount > 0 && !json) {
    const { items } = await sessions.messages(session.id, { scope, limit: shownMessages })
    for (const message of items) printAnswer(`${message.role === 'user' ? '> ' : ''}${messageText(message)}`)
  }
  const reader = createMessageReader(api.history)
  const ask = (approvalId: string) => askPerson(approvals, reader, approvalId, scope, previews)
  const stop = () => void sessions.stop(session.id, { scope })
  const answer = async (content: string) => {
    try {
      const turn = sessions.chat(session.id, {
        scope,
        content,
        model,
        parameters,
        headless: !process.stdin.isTTY,
      })
      if (json) return await printEvents(session.id, turn)
      const parts = await printTurn(turn, ask)
      await afterTurn(groups, api, parts, { scope, ...(process.stdin.isTTY && { ask }) })
    } catch (error) {
      printProgress(`parley: ${(error as Error).message}`)
    }
  }
  let content = prompt ?? (await reader.next())
  while (content !== undefined) {
    const said = content
    await reader.during(stop, () => answer(said))
    content = await reader.next()
  }
  reader.close()
}

async function afterTurn(
  groups: readonly CommandGroup[],
  api: Api,
  parts: ReadonlyMap<string, unknown>,
  listener: Listener,
): Promise<void> {
  for (const group of groups)
    for (const [type, act] of Object.entries(group.afterTurn ?? {}))
      if (parts.has(type)) await act(api, parts.get(type), listener)
}
