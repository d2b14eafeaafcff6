import type { Sessions } from '../core/chat/session-operations.ts'
import { Command, Option } from 'commander'
import type { ChatAnswer } from '../core/protocol/chat.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import { permissionModes, type PermissionMode } from '../core/protocol/permission.ts'
import { withSessions } from './open.ts'
import { printJson, printProgress } from './output.ts'
import { printTurn } from './print-turn.ts'
import { readStdin } from './stdin.ts'

interface RunOptions {
  session?: string
  model?: string
  scope?: string
  thinking?: boolean
  permissionMode?: PermissionMode
  json?: boolean
}

export function runCommand(): Command {
  return new Command('run')
    .description('ask once: the answer goes to stdout, all else to stderr; "-" reads the prompt from stdin')
    .argument('<prompt>')
    .option('-s, --session <id>', 'go on in a session; without it a new one is made')
    .option('-m, --model <adapter/model>', 'the model to ask')
    .option('--thinking', 'ask for reasoning where the model has it')
    .addOption(
      new Option(
        '--permission-mode <mode>',
        'what it may do; nobody is asked, so what would be asked is refused',
      ).choices(permissionModes),
    )
    .option('--url <url>', 'of a running server; without it the turn runs in this process')
    .option('--scope <name>', 'the workspace (default)')
    .action((prompt: string, _options, command: Command) =>
      withSessions(command, (sessions) => ask(sessions, prompt, command.optsWithGlobals<RunOptions>())),
    )
}

async function ask(sessions: Sessions, prompt: string, options: RunOptions): Promise<void> {
  const content = prompt === '-' ? (await readStdin()).trim() : prompt
  if (content === '') throw invalidRequest('The prompt is empty.')
  const { scope, model, thinking, permissionMode, json } = options
  const id = await findSession(sessions, content, options)
  if (options.session && permissionMode) await sessions.update(id, { scope, permissionMode })
  const turn = sessions.chat(id, { scope, content, model, thinking, headless: true })
  const stop = () => void sessions.stop(id, { scope })
  process.once('SIGINT', stop)
  if (!json) await printTurn(turn)
  const answer = await turn
  process.off('SIGINT', stop)
  if (json) printJson({ session: id, ...answer })
  const refused = refusedIn(answer)
  if (refused.length > 0)
    printProgress(
      `parley: refused, since nobody could be asked: ${refused.join(', ')} (--permission-mode acceptEdits lets it change files)`,
    )
  process.exitCode = exitCodeOf(answer)
}

async function findSession(
  sessions: Sessions,
  content: string,
  { session, scope, permissionMode }: RunOptions,
): Promise<string> {
  if (session !== undefined) return session
  const title = content
    .slice(0, 60)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
  return (await sessions.create({ scope, title, permissionMode })).id
}

/** The tools whose calls were not made because nobody was there to say yes. */
function refusedIn({ run }: ChatAnswer): string[] {
  const { denied = [] } = (run.outcome ?? {}) as { denied?: { toolName: string; by: string }[] }
  return denied.filter(({ by }) => by === 'headless').map(({ toolName }) => toolName)
}

/**
 * 0 done, 5 the model failed, 6 it could not do all it wanted since nobody could be asked, 7 a limit ended the turn, 130 it
 * was stopped, 1 anything else.
 */
export function exitCodeOf(answer: ChatAnswer): number {
  const { run } = answer
  const { code } = (run.outcome ?? {}) as { code?: string }
  if (run.status === 'completed') return refusedIn(answer).length > 0 ? 6 : 0
  if (run.status === 'cancelled') return 130
  if (
    code?.startsWith('model_') ||
    code === 'empty_answer' ||
    code === 'content_filter' ||
    code === 'agents_failed'
  )
    return 5
  return ['step_limit', 'budget_exhausted', 'tool_loop'].includes(code ?? '') ? 7 : 1
}
