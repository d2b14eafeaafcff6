/**
 * The words that the capabilities that come with Parley bring into what the core reads and writes. Schemas are made when
 * modules are loaded, and text of others must not begin or end a tag of ours, whichever extensions a Parley has: so these
 * are known without loading what runs.
 */
import { agentWords } from './agents/words.ts'
import { documentWords } from './documents/words.ts'
import { fileWords } from './files/words.ts'
import { knowledgeWords } from './knowledge/words.ts'
import { mcpWords } from './mcp/words.ts'
import { memoryWords } from './memory/words.ts'
import { planWords } from './plan/words.ts'
import { roomWords } from './room/words.ts'
import { scheduleWords } from './schedule/words.ts'
import { terminalWords } from './terminal/words.ts'
import { webWords } from './web/words.ts'
import { webhookWords } from './webhook/words.ts'
import { workflowWords } from './workflow/words.ts'

/** Groups of tools and whether they are on by themselves, in the order in which they are listed. */
export const builtInGroups = {
  ...fileWords.groups,
  ...documentWords.groups,
  // of the core itself
  search: true,
  ...memoryWords.groups,
  ...terminalWords.groups,
  // of the core itself
  task: true,
  ...scheduleWords.groups,
  ...workflowWords.groups,
  ...planWords.groups,
  ...webWords.groups,
  ...mcpWords.groups,
} as const

export const builtInTags = [
  ...documentWords.tags,
  ...memoryWords.tags,
  ...knowledgeWords.tags,
  ...workflowWords.tags,
  ...planWords.tags,
  ...roomWords.tags,
] as const

export const builtInWordings = {
  ...documentWords.wordings,
  ...memoryWords.wordings,
  ...scheduleWords.wordings,
  ...webhookWords.wordings,
  ...roomWords.wordings,
} as const

export const builtInReferences = {
  ...documentWords.references,
  ...memoryWords.references,
  ...scheduleWords.references,
  ...workflowWords.references,
} as const

/** Runs that count among the tasks of a session. */
export const builtInRunKinds: readonly string[] = [workflowWords.runKind, planWords.runKind]
/** What is read from folders of scopes, in words. */
export const builtInFolderFiles: readonly string[] = [workflowWords.folderFiles, agentWords.folderFiles]
export const builtInSnapshotExample: Readonly<Record<string, number>> = documentWords.snapshotExample

export const builtInCommandTools: readonly string[] = terminalWords.commandTools
export const builtInToolPrefixes: Readonly<Record<string, string>> = mcpWords.toolPrefixes
