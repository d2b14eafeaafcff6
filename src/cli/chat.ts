import { createInterface } from 'node:readline/promises'
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
import { printAnswer, printProgress } from '../core/command-line/output.ts'
import { readParameters, withParameters } from '../core/command-line/parameter-options.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import { messageText } from '../core/protocol/message-text.ts'
import { printTurn } from './print-turn.ts'

const shownMessages = 6

export function chatCommand(context: CommandContext): Command {
  return withParameters(new Command('chat'))
    .description('chat in the terminal; Ctrl-C stops the answer, Ctrl-D exits')
    .option('-s, --session <id>', 'continue a session')
    .option('-c, --continue', 'continue the newest session')
    .option('-m, --model <adapter/model>', 'the model to use')
    .option('--instructions <text>', 'the instructions of a new session')
    .option('--url <url>', 'of a running server; without it turns run in this process')
    .option('--scope <name>', 'the workspace (default)')
    .action((_options, command: Command) => context.run<TalkOptions>(command, context.talk))
}

/** `groups` handle the data parts of a turn. */
export async function talk(
  groups: readonly CommandGroup[],
  api: Api,
  options: TalkOptions,
  previews: PreviewTexts,
): Promise<void> {
  const { sessions, approvals } = api
  const { scope, model, instructions } = options
  const parameters = readParameters(options)
  if (instructions !== undefined && (options.session !== undefined || options.continue))
    throw invalidRequest(
      '--instructions are for a new session; those of another are changed by "parley sessions instructions".',
    )
  const id =
    options.session ??
    (options.continue ? (await sessions.list({ scope, limit: 1 })).items[0]?.id : undefined)
  const session =
    id === undefined ? await sessions.create({ scope, instructions }) : await sessions.get(id, { scope })
  printProgress(`session ${session.id}; Ctrl-C stops an answer, Ctrl-D ends`)
  if (session.messageCount > 0) {
    const { items } = await sessions.messages(session.id, { scope, limit: shownMessages })
    for (const message of items) printAnswer(`${message.role === 'user' ? '> ' : ''}${messageText(message)}`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' })
  let isAnswering = false
  let isClosed = false
  terminal.on('close', () => (isClosed = true))
  // readline handles Ctrl-C: it stops a streaming answer, otherwise the program
  terminal.on('SIGINT', () => (isAnswering ? void sessions.stop(session.id, { scope }) : terminal.close()))
  terminal.prompt()
  for await (const line of terminal) {
    const content = line.trim()
    if (content !== '') {
      isAnswering = true
      const turn = sessions.chat(session.id, {
        scope,
        content,
        model,
        parameters,
        headless: !process.stdin.isTTY,
      })
      const ask = (approvalId: string) => askPerson(approvals, terminal, approvalId, scope, previews)
      try {
        const parts = await printTurn(turn, ask)
        await afterTurn(groups, api, parts, { scope, ...(process.stdin.isTTY && { ask }) })
      } catch (error) {
        printProgress(`parley: ${(error as Error).message}`)
      }
      isAnswering = false
    }
    // input from a pipe ends before its last line is answered
    if (!isClosed) terminal.prompt()
  }
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
