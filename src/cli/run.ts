import type { Sessions } from '../core/chat/session-operations.ts'
import { Command, Option } from 'commander'
import { exitCodeOf, refusedIn } from '../core/command-line/exit-codes.ts'
import {
  readParameters,
  withParameters,
  type ParameterOptions,
} from '../core/command-line/parameter-options.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import { permissionModes, type PermissionMode } from '../core/protocol/permission.ts'
import { withSessions } from './open-parley.ts'
import { printJson, printProgress } from '../core/command-line/output.ts'
import { printTurn } from './print-turn.ts'
import { readStdin } from '../core/command-line/read-text.ts'

interface RunOptions extends ParameterOptions {
  session?: string
  model?: string
  scope?: string
  thinking?: boolean
  permissionMode?: PermissionMode
  json?: boolean
}

export function runCommand(): Command {
  return withParameters(new Command('run'))
    .description(
      'run one turn: the answer goes to stdout, everything else to stderr; "-" reads the prompt from stdin',
    )
    .argument('<prompt>')
    .option('-s, --session <id>', 'continue a session; without it a new one is created')
    .option('-m, --model <adapter/model>', 'the model to use')
    .option('--thinking', 'request reasoning if the model supports it')
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
  const parameters = readParameters(options)
  const id = await findSession(sessions, content, options)
  if (options.session && permissionMode) await sessions.update(id, { scope, permissionMode })
  const turn = sessions.chat(id, { scope, content, model, thinking, parameters, headless: true })
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
