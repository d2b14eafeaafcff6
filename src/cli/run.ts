import type { Sessions } from '../core/chat/session-operations.ts'
import { Command, Option } from 'commander'
import { exitCodeOf, refusedIn } from '../core/command-line/exit-codes.ts'
import {
  readParameters,
  withParameters,
  type ParameterOptions,
} from '../core/command-line/parameter-options.ts'
import type { ChatAnswer } from '../core/protocol/chat.ts'
import type { RunEvent } from '../core/protocol/chunk.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import { permissionModes } from '../core/protocol/permission.ts'
import { withSessions } from './open-parley.ts'
import { printJson, printProgress } from '../core/command-line/output.ts'
import { printTurn } from './print-turn.ts'
import { readPipedFile, readPipedText } from '../core/command-line/piped-input.ts'
import { findSession, type SessionChoice } from './find-session.ts'

const outputFormats = ['text', 'json', 'stream-json'] as const
type OutputFormat = (typeof outputFormats)[number]

export interface RunOptions extends SessionChoice, ParameterOptions {
  model?: string
  thinking?: boolean
  outputFormat?: OutputFormat
  json?: boolean
}

export function runCommand(): Command {
  return withParameters(withRunOptions(new Command('run')))
    .description(
      'run one turn: the answer goes to stdout, everything else to stderr. Standard input is what the prompt is about, or the prompt itself where none is given or it is "-"',
    )
    .argument('[prompt]')
    .addOption(new Option('-p, --print', 'print the answer and exit, which "run" does anyway').hideHelp())
    .option('--thinking', 'request reasoning if the model supports it')
    .option('--url <url>', 'of a running server; without it the turn runs in this process')
    .option('--scope <name>', 'the workspace (default)')
    .action((prompt: string | undefined, _options, command: Command) =>
      withSessions(command, (sessions) => runTurn(sessions, prompt, command.optsWithGlobals<RunOptions>())),
    )
}

/** The options that a turn has, whether the program ends after it or not. */
export const withRunOptions = (command: Command): Command =>
  command
    .option('-s, --session <id>', 'continue a session; without it a new one is created')
    .option('-c, --continue', 'continue the newest session')
    .option('-m, --model <adapter/model>', 'the model to use')
    .option('--instructions <text>', 'the instructions of a new session')
    .addOption(
      new Option('--output-format <format>', 'stream-json: each event on a line, as it comes').choices(
        outputFormats,
      ),
    )
    .addOption(
      new Option(
        '--permission-mode <mode>',
        'what it may do; where nobody can be asked, what would be asked is refused',
      ).choices(permissionModes),
    )

/** One turn, as its prompt and what is piped into the program say. */
export async function runTurn(
  sessions: Sessions,
  prompt: string | undefined,
  options: RunOptions,
): Promise<void> {
  const { scope, model, thinking, json } = options
  const format = options.outputFormat ?? (json ? 'json' : 'text')
  const input = await readInput(prompt)
  const parameters = readParameters(options)
  const id = await findSession(sessions, options, toTitle(input.content))
  const turn = sessions.chat(id, { scope, ...input, model, thinking, parameters, headless: true })
  const stop = () => void sessions.stop(id, { scope })
  process.once('SIGINT', stop)
  if (format === 'text') await printTurn(turn)
  else if (format === 'stream-json') await printEvents(id, turn)
  const answer = await turn
  process.off('SIGINT', stop)
  if (format === 'json') printJson({ session: id, ...answer })
  printRefused(answer)
  process.exitCode = exitCodeOf(answer)
}

async function readInput(prompt: string | undefined) {
  if (prompt === '-' || (prompt === undefined && !process.stdin.isTTY)) {
    const content = (await readPipedText()).trim()
    if (content === '')
      throw invalidRequest('The prompt is empty. Give it as an argument or on standard input.')
    return { content }
  }
  if (prompt === undefined || prompt.trim() === '')
    throw invalidRequest('The prompt is empty. Give it as an argument or on standard input.')
  const piped = await readPipedFile()
  return { content: prompt, ...(piped && { attachments: [piped] }) }
}

const toTitle = (content: string) =>
  content
    .slice(0, 60)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')

/** One JSON object in each line: which session it is, the chunks of its stream as HTTP has them, and at last the result. */
export async function printEvents(
  session: string,
  turn: AsyncIterable<RunEvent> & PromiseLike<ChatAnswer>,
): Promise<void> {
  printJson({ type: 'session', session }, 0)
  for await (const { chunk } of turn) printJson(chunk, 0)
  printJson({ type: 'result', session, ...(await turn) }, 0)
}

function printRefused(answer: ChatAnswer): void {
  const refused = refusedIn(answer)
  if (refused.length > 0)
    printProgress(
      `parley: refused, since nobody could be asked: ${refused.join(', ')} (--permission-mode acceptEdits lets it change files)`,
    )
}
