import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../src/config.ts'
import { readAgents } from '../../src/extensions/agents/agent-files.ts'
import { readMarkdown } from '../../src/extensions/plan/read-markdown.ts'
import { readReply } from '../../src/extensions/plan/read-reply.ts'
import { parseDefinition } from '../../src/extensions/workflow/parse-definition.ts'
import { temporaryFolder } from '../harness.ts'
import type { Block } from './blocks.ts'
import { compareOutput } from './outputs.ts'
import { receiveFailure } from './webhook-body.ts'

export const userFile = '~/.config/parley/config.yaml'

/** What a block of data can claim to be, and who knows whether it is. Each throws or answers problems. */
const claims: Readonly<Record<string, (text: string) => unknown>> = {
  'project settings': (text) => loadSettings('parley.yaml', text),
  'user settings': (text) => loadSettings('home/.config/parley/config.yaml', text),
  workflow: findProblems,
  'part of a workflow': (text) =>
    findProblems(`name: part\nsteps: [{ type: agent, prompt: something }]\n${text}`),
  agent: readAgentFile,
  plan: (text) => readMarkdown(text) && undefined,
  'webhook body': async (text) => noneOf(compareOutput({ language: 'json', text }, await receiveFailure())),
  'plan reply': (text) => problemIn(readReply(JSON.stringify(JSON.parse(text)))),
}

const noneOf = (problems: string[]) => (problems.length === 0 ? undefined : problems)
const problemIn = (read: object) => ('problem' in read ? read.problem : undefined)

/** Undefined where a block claims nothing that could be checked. */
export function checkClaim({ marks, text }: Block): { problems: unknown } | undefined {
  const claim = marks.is ?? claimOfFile(marks.file)
  if (claim === undefined) return undefined
  const check = claims[claim]
  if (!check) throw new Error(`"${claim}" is none of: ${Object.keys(claims).join(', ')}.`)
  return { problems: check(text) }
}

function claimOfFile(file = ''): string | undefined {
  if (file === 'parley.yaml') return 'project settings'
  if (file === userFile) return 'user settings'
  if (file.startsWith('.parley/workflows/')) return 'workflow'
  return file.startsWith('.parley/agents/') ? 'agent' : undefined
}

function loadSettings(path: string, text: string): unknown {
  using folder = temporaryFolder()
  write(folder.path, path, text)
  const home = join(folder.path, 'home')
  const { warnings, files } = loadConfig({ env: {}, cwd: folder.path, home, platform: 'linux' })
  return files.length === 1 && warnings.length === 0 ? undefined : { warnings, files }
}

function findProblems(text: string): unknown {
  const parsed = parseDefinition(text)
  return 'problems' in parsed ? parsed.problems : undefined
}

async function readAgentFile(text: string): Promise<unknown> {
  using folder = temporaryFolder()
  write(folder.path, '.parley/agents/someone.md', text)
  const { agents, problems } = await readAgents({ root: folder.path })
  return agents.length === 1 && problems.length === 0 ? undefined : { agents, problems }
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
