import { openAsBlob } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { invalidRequest, ParleyError } from '../core/protocol/error.ts'
import type { Session } from '../core/protocol/session.ts'
import { foldName } from '../core/shared/fold-name.ts'
import type { NewAgent } from '../extensions/room/import/imported-agents.ts'
import { readThreadFolders } from '../extensions/room/import/thread-folder.ts'
import { looseRules } from '../core/sessions/formats/document.ts'
import { formats } from '../core/sessions/formats/format.ts'
import { readDocuments } from '../core/sessions/formats/read-documents.ts'
import { defaultImportLimits } from '../core/protocol/import-limits.ts'
import { isWholeExport } from '../core/sessions/imports/is-whole-export.ts'
import type { Api } from '../core/command-line/command-group.ts'
import type { ImportReport } from '../core/protocol/import-report.ts'
import { printJson, printProgress } from '../core/command-line/output.ts'
import { readStdin } from '../core/command-line/read-text.ts'

interface ImportOptions {
  scope?: string
  json?: boolean
  roles?: string
}

interface Found {
  text: string
  source: string
  /** It is one of many: that it is there already is no reason to leave the others out. */
  isOfFolder: boolean
  agents: NewAgent[]
}

/** Imports every conversation under the paths; agents of rooms that are not there yet are made. */
export async function importAll(api: Api, paths: string[], options: ImportOptions): Promise<void> {
  const { scope, json } = options
  const items: Session[] = []
  const skipped: { source: string; reason: string }[] = []
  const reports: (ImportReport & { source: string })[] = []
  for (const path of paths) {
    if (await isExport(path)) {
      reports.push({ source: path, ...(await importExport(api, path, options)) })
      continue
    }
    for await (const found of readTexts(path, options)) {
      const session = await importOne(api, found, scope)
      if (typeof session === 'string') {
        skipped.push({ source: found.source, reason: session })
        printProgress(`${found.source}: ${session} It was left as it is.`)
        continue
      }
      items.push(session)
      await addAgents(api, found, scope)
      if (!json) printProgress(`imported ${found.source}: ${session.id}, ${session.messageCount} messages`)
    }
  }
  if (json) printJson({ items, skipped, ...(reports.length > 0 && { reports }) })
  await api.finishIndex?.()
}

async function isExport(path: string): Promise<boolean> {
  if (path === '-') return false
  await using file = await open(path).catch(refuseMissing(path))
  return (await file.stat()).isFile() && (await isWholeExport(file.fd, defaultImportLimits))
}

const progressMs = 1_000
// the rest is in --json
const maxPrinted = 20

/** A whole export of another program, or many sessions of Parley: as large as it may be, it is not read into memory. */
async function importExport(api: Api, path: string, { scope, json }: ImportOptions): Promise<ImportReport> {
  let printedAt = performance.now()
  const report = await api.sessions.importFile(await openAsBlob(path), {
    scope,
    onProgress({ done, conversations, messages }) {
      if (json || performance.now() - printedAt < progressMs) return
      printedAt = performance.now()
      printProgress(`${path}: ${done} of ${conversations} conversations, ${messages} messages`)
    },
  })
  if (json) return report
  const { sessions, failures, failed, notes } = report
  printProgress(
    `imported ${path} (${report.formats.join(', ')}): ${report.conversations} conversations, ` +
      `${sessions.added} new sessions, ${sessions.extended} extended, ${sessions.unchanged} as they were, ` +
      `${report.messages} messages`,
  )
  for (const { count, text } of notes) printProgress(`  ${count} ${text}`)
  for (const { place, title, reason } of failures.slice(0, maxPrinted))
    printProgress(`  not imported: ${place}${title && ` “${title}”`}: ${reason}`)
  if (failed > maxPrinted) printProgress(`  not imported: ${failed - maxPrinted} more, see --json`)
  return report
}

/** The session, or why it is not imported. */
async function importOne(api: Api, { text, isOfFolder }: Found, scope?: string): Promise<Session | string> {
  try {
    return await api.sessions.import(text, { scope })
  } catch (error) {
    if (isOfFolder && error instanceof ParleyError && error.code === 'conflict') return error.message
    throw error
  }
}

/** Every conversation under a path, as documents that the server reads. */
async function* readTexts(path: string, { roles }: ImportOptions): AsyncGenerator<Found> {
  const isFolder = path !== '-' && (await stat(path).catch(refuseMissing(path))).isDirectory()
  if (!isFolder) {
    const text = path === '-' ? await readStdin() : await readFile(path, 'utf8')
    for (const document of readDocuments(text, { rules: looseRules }))
      yield { text: formats.json.write(document, looseRules), source: path, isOfFolder: false, agents: [] }
    return
  }
  for await (const { document, agents, source, problems } of readThreadFolders(path, roles)) {
    for (const problem of problems) printProgress(`${source}: ${problem}`)
    yield { text: formats.json.write(document, looseRules), source, isOfFolder: true, agents }
  }
}

const refuseMissing =
  (path: string) =>
  (error: Error): never => {
    throw invalidRequest(`Cannot read ${path}: ${error.message}`)
  }

/** Existing agents keep their names; an agent whose name is taken is reported as missing in its room. */
async function addAgents({ agents }: Api, { agents: wanted, source }: Found, scope?: string): Promise<void> {
  if (wanted.length === 0) return
  const known = await namesOf(agents, scope)
  for (const agent of wanted.filter(({ name }) => !known.has(foldName(name)))) {
    const { name, persona, avatar, color, description } = agent
    const attempts = [
      agent,
      { ...agent, model: undefined },
      { name, persona, avatar, color, description },
      { name },
    ]
    let problem = ''
    for (const attempt of attempts) {
      problem = await refusalOf(agents.create({ ...attempt, scope }))
      if (problem === '') break
    }
    if (problem !== '') printProgress(`${source}: the agent ${name} is not made: ${problem}`)
    else printProgress(`${source}: made the agent ${name}`)
  }
}

async function namesOf(agents: Api['agents'], scope?: string): Promise<Set<string>> {
  const names = new Set<string>()
  for (let cursor: string | undefined; ;) {
    const page = await agents.list({ scope, cursor })
    for (const { name } of page.items) names.add(foldName(name))
    if (page.nextCursor === null) return names
    cursor = page.nextCursor
  }
}

/** Why it was refused; empty when it was not. */
const refusalOf = (made: Promise<unknown>): Promise<string> =>
  made.then(
    () => '',
    (error: unknown) => {
      if (
        error instanceof ParleyError &&
        ['conflict', 'invalid_request', 'adapter_unavailable'].includes(error.code)
      )
        return error.message
      throw error
    },
  )
