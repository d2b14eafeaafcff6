import { basename } from 'node:path'
import type { AgentDefinition } from './protocol/agent.ts'
import { foldName } from '../../core/shared/fold-name.ts'
import { readAgentMatter } from './agent-matter.ts'
import type { ContextFiles, FileSet } from '../../core/context/context-files.ts'
import {
  findBases,
  isOn,
  mayInstruct,
  untrustedProblem,
  type Base,
  type Places,
  type Problem,
} from '../../core/context/context-places.ts'
import { captionOf, createReader, toHash, type Reader } from '../../core/context/file-reader.ts'

/** An agent that somebody wrote as a Markdown file. */
export interface AgentFile extends AgentDefinition {
  name: string
  source: 'project' | 'user'
  /** The file as it is shown: from the root, or after `user:`. */
  path: string
}

export interface AgentSet extends FileSet {
  /** Each name once, whatever its case, from the first place that has it. */
  agents: AgentFile[]
  problems: Problem[]
}

declare module '../../core/context/context-places.ts' {
  interface ContextParts {
    agents: unknown
  }
}

interface Folder {
  base: Base
  folder: string
  source: AgentFile['source']
  /** How the names of its files end. */
  ending: string
  /** Written for a tool other than Parley. */
  isForeign: boolean
}

const maxAgents = 200
const maxBytes = 128 * 1024

/**
 * Finds the agents of the scope, those written for other tools, and those of the user. A file that breaks the rules is
 * a problem in the result, never a throw.
 */
export async function readAgents(places: Places): Promise<AgentSet> {
  return readFolders(await findAgentFolders(places), ({ base }) => mayInstruct(places, base))
}

/** Where there is no folder of a scope. */
export async function readUserAgents(userDir: string | undefined): Promise<AgentSet> {
  if (userDir === undefined) return readFolders([])
  const { root } = await findBases({ root: userDir })
  return readFolders([ofUser({ ...root, prefix: 'user:' })])
}

export const agentFiles: ContextFiles<AgentSet> = { read: readAgents, readOfUser: readUserAgents }

async function readFolders(
  folders: Folder[],
  mayCount: (folder: Folder) => boolean = () => true,
): Promise<AgentSet> {
  const reader = createReader()
  const found = new Map<string, AgentFile>()
  for (const folder of folders) {
    const paths = await reader.listFiles(folder.base, folder.folder, folder.ending)
    if (!mayCount(folder)) {
      if (paths.length > 0) reader.problems.push(untrustedProblem(captionOf(folder.base, folder.folder)))
      continue
    }
    for (const path of paths) {
      const agent = await readAgent(reader, folder, path)
      if (agent) addAgent(found, agent, reader.problems)
    }
  }
  const agents = [...found.values()]
  return {
    agents,
    problems: reader.problems,
    hash: toHash(JSON.stringify([agents, reader.problems])),
    traces: reader.traces,
  }
}

async function findAgentFolders(places: Places): Promise<Folder[]> {
  if (!isOn(places, 'agents')) return []
  const { root, user } = await findBases(places)
  const own: Folder = {
    base: root,
    folder: '.parley/agents',
    source: 'project',
    ending: '.md',
    isForeign: false,
  }
  const others = isOn(places, 'other-tools')
    ? foreignFolders.map(([folder, ending]) => ({ ...own, folder, ending, isForeign: true }))
    : []
  return [own, ...others, ...(user ? [ofUser(user)] : [])]
}

const ofUser = (base: Base): Folder => ({
  base,
  folder: 'agents',
  source: 'user',
  ending: '.md',
  isForeign: false,
})

const foreignFolders: [folder: string, ending: string][] = [
  ['.claude/agents', '.md'],
  ['.opencode/agent', '.md'],
  ['.opencode/agents', '.md'],
  ['.github/agents', '.agent.md'],
  ['.github/chatmodes', '.chatmode.md'],
  ['.cursor/agents', '.md'],
]

async function readAgent(
  reader: Reader,
  { base, source, ending, isForeign }: Folder,
  path: string,
): Promise<AgentFile | undefined> {
  const file = await reader.read(base, path, maxBytes)
  if (!file) return undefined
  const report = (message: string) => void reader.problems.push({ path: file.caption, message })
  const { agent, faults } = readAgentMatter(file.text, basename(path, ending), { isForeign })
  for (const fault of faults) report(fault)
  return agent && { ...agent, source, path: file.caption }
}

function addAgent(found: Map<string, AgentFile>, agent: AgentFile, problems: Problem[]): void {
  const key = foldName(agent.name)
  const first = found.get(key)
  if (first) problems.push({ path: agent.path, message: `is hidden by ${first.path}` })
  else if (found.size < maxAgents) found.set(key, agent)
  else problems.push({ path: agent.path, message: `is left out: there are ${maxAgents} agents already` })
}
