import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { messageText } from '../core/protocol/message-text.ts'
import { askPerson } from './ask-person.ts'
import { withApi, type Api } from './open.ts'
import { printAnswer, printProgress } from './output.ts'
import { printActions } from './plan-progress.ts'
import { printTurn } from './print-turn.ts'

interface ChatOptions {
  session?: string
  continue?: boolean
  model?: string
  scope?: string
}

const shownMessages = 6

export function chatCommand(): Command {
  return new Command('chat')
    .description('talk in the terminal; Ctrl-C stops the answer, Ctrl-D ends')
    .option('-s, --session <id>', 'go on in a session')
    .option('-c, --continue', 'go on in the newest session')
    .option('-m, --model <adapter/model>', 'the model to ask')
    .option('--url <url>', 'of a running server; without it turns run in this process')
    .option('--scope <name>', 'the workspace (default)')
    .action((_options, command: Command) =>
      withApi(command, (api) => talk(api, command.optsWithGlobals<ChatOptions>())),
    )
}

export async function talk(api: Api, options: ChatOptions): Promise<void> {
  const { sessions, approvals } = api
  const { scope, model } = options
  const id =
    options.session ??
    (options.continue ? (await sessions.list({ scope, limit: 1 })).items[0]?.id : undefined)
  const session = id === undefined ? await sessions.create({ scope }) : await sessions.get(id, { scope })
  printProgress(`session ${session.id}; Ctrl-C stops an answer, Ctrl-D ends`)
  if (session.messageCount > 0) {
    const { items } = await sessions.messages(session.id, { scope, limit: shownMessages })
    for (const message of items) printAnswer(`${message.role === 'user' ? '> ' : ''}${messageText(message)}`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' })
  let isAnswering = false
  let isClosed = false
  terminal.on('close', () => (isClosed = true))
  // the terminal takes Ctrl-C itself; while an answer comes it means that answer, otherwise the program
  terminal.on('SIGINT', () => (isAnswering ? void sessions.stop(session.id, { scope }) : terminal.close()))
  terminal.prompt()
  for await (const line of terminal) {
    const content = line.trim()
    if (content !== '') {
      isAnswering = true
      const turn = sessions.chat(session.id, { scope, content, model, headless: !process.stdin.isTTY })
      const ask = (approvalId: string) => askPerson(approvals, terminal, approvalId, scope)
      try {
        const runId = await printTurn(turn, ask)
        const asking = process.stdin.isTTY ? { ask } : {}
        if (runId !== undefined) await printActions(api, runId, { scope, ...asking })
      } catch (error) {
        printProgress(`parley: ${(error as Error).message}`)
      }
      isAnswering = false
    }
    // input from a pipe is over before its last line is answered
    if (!isClosed) terminal.prompt()
  }
}
