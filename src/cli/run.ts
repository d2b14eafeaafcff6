import { Command } from 'commander'
import type { ChatAnswer } from '../protocol/chat.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { Sessions } from '../protocol/sessions.ts'
import { withSessions } from './open.ts'
import { printJson } from './output.ts'
import { printTurn } from './print-turn.ts'
import { readStdin } from './stdin.ts'

interface RunOptions {
  session?: string
  model?: string
  scope?: string
  thinking?: boolean
  json?: boolean
}

export function runCommand(): Command {
  return new Command('run')
    .description('ask once: the answer goes to stdout, all else to stderr; "-" reads the prompt from stdin')
    .argument('<prompt>')
    .option('-s, --session <id>', 'go on in a session; without it a new one is made')
    .option('-m, --model <adapter/model>', 'the model to ask')
    .option('--thinking', 'ask for reasoning where the model has it')
    .option('--url <url>', 'of a running server; without it the turn runs in this process')
    .option('--scope <name>', 'the workspace (default)')
    .action((prompt: string, _options, command: Command) =>
      withSessions(command, (sessions) => ask(sessions, prompt, command.optsWithGlobals<RunOptions>())),
    )
}

async function ask(sessions: Sessions, prompt: string, options: RunOptions): Promise<void> {
  const content = prompt === '-' ? (await readStdin()).trim() : prompt
  if (content === '') throw invalidRequest('The prompt is empty.')
  const { scope, model, thinking, json } = options
  const id =
    options.session ?? (await sessions.create({ scope, title: content.slice(0, 60).replace(/\s+/g, ' ') })).id
  const turn = sessions.chat(id, { scope, content, model, thinking })
  const stop = () => void sessions.stop(id, { scope })
  process.once('SIGINT', stop)
  if (!json) await printTurn(turn)
  const answer = await turn
  process.off('SIGINT', stop)
  if (json) printJson({ session: id, ...answer })
  process.exitCode = exitCodeOf(answer)
}

/** 0 done, 5 the model failed, 7 a limit ended the turn, 130 it was stopped, 1 anything else. */
export function exitCodeOf({ run }: ChatAnswer): number {
  const { code } = (run.outcome ?? {}) as { code?: string }
  if (run.status === 'completed') return 0
  if (run.status === 'cancelled') return 130
  if (code?.startsWith('model_') || code === 'empty_answer' || code === 'content_filter') return 5
  return ['step_limit', 'budget_exhausted', 'tool_loop'].includes(code ?? '') ? 7 : 1
}
