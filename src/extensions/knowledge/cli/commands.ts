import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import {
  type KnowledgeExtraction,
  type KnowledgeImported,
  type KnowledgeSource,
  type KnowledgeSourceListQuery,
  maxTriples,
  sourceKinds,
  sourceStatuses,
} from '../protocol/knowledge.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { parseTriples } from './triples-file.ts'
import type { Api, CommandContext, Options } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'
import { readFileText } from '../../../core/command-line/read-text.ts'
import type { Knowledge } from '../operations.ts'

declare module '../../../core/command-line/command-group.ts' {
  interface Api {
    knowledge: Knowledge
  }
}

export function addCommands(knowledge: Command, { run }: CommandContext): void {
  knowledge
    .description(
      'a graph of facts from documents and imports: query it, add to it, extract it from documents',
    )
    .option('--url <url>', 'of a running server; without it the local store is used')
    .option('--scope <name>', 'the workspace (default)')

  knowledge
    .command('stats')
    .description('the size of the graph, and the state of the documents')
    .action((_options, command: Command) => run(command, showStats))

  knowledge
    .command('query <text>')
    .description('triples related to the text, best first, each with its sources')
    .option('--top-k <number>', 'how many, up to 20 (12)')
    .option('--hops <number>', 'how far, 1 or 2 (1)')
    .option('--focus <name...>', 'names, or parts of names, to start from')
    .action((text: string, _options, command: Command) =>
      run<QueryOptions>(command, (api, options) => query(api, text, options)),
    )

  knowledge
    .command('import <file>')
    .description('import triples from a .json, .csv or .tsv file: subject, predicate, object')
    .option('--source <name>', 'the name of the source; default: the name of the file')
    .option('--replace', 'forget earlier triples of the source that are not in the file')
    .action((file: string, _options, command: Command) =>
      run<ImportOptions>(command, (api, options) => importFile(api, file, options)),
    )

  knowledge
    .command('extract [document...]')
    .description('have background sessions read documents; without ids, all that have changed')
    .option('-m, --model <adapter/model>', 'the model that reads them')
    .option('--wait', 'wait until they are read; without a server, in this process')
    .action((ids: string[], _options, command: Command) =>
      run<ExtractOptions>(command, (api, options) => extract(api, ids, options)),
    )

  withPage(knowledge.command('sources'))
    .description('the sources of the graph, last changed first')
    .addOption(new Option('--kind <kind>').choices(sourceKinds))
    .addOption(new Option('--status <status>').choices(sourceStatuses))
    .action((_options, command: Command) => run<ListOptions>(command, listSources))

  knowledge
    .command('forget <source>')
    .description('forget everything from an import, or from a document by its id')
    .action((name: string, _options, command: Command) =>
      run(command, async ({ knowledge: api }, { scope, json }) => {
        await api.forget(name, { scope })
        if (json) printJson({ name, forgotten: true })
        else printProgress(`forgot ${name}`)
      }),
    )
}

async function showStats({ knowledge }: Api, { scope, json }: Options): Promise<void> {
  const stats = await knowledge.stats({ scope })
  if (json) return printJson(stats)
  const { documents } = stats
  const facts = { entities: stats.entities, relations: stats.relations, imports: stats.imports }
  const read = Object.entries(documents).map(([status, count]) => [`documents ${status}`, String(count)])
  const rows = [...Object.entries(facts).map(([name, count]) => [name, String(count)]), ...read]
  printAnswer(formatTable(['what', 'count'], rows))
}

interface QueryOptions extends Options {
  topK?: string
  hops?: string
  focus?: string[]
}

async function query(
  { knowledge }: Api,
  text: string,
  { scope, json, topK, hops, focus }: QueryOptions,
): Promise<void> {
  const answer = await knowledge.query({
    scope,
    query: text,
    top_k: topK === undefined ? undefined : toCount('--top-k', topK),
    hops: hops === undefined ? undefined : toCount('--hops', hops),
    focus_entities: focus,
    return_subgraph: json === true,
  })
  if (json) return printJson(answer)
  if (answer.triples.length === 0) return printProgress('nothing has to do with it')
  const rows = answer.triples.map(({ subject, predicate, object, score, sources }) => [
    score.toFixed(3),
    subject,
    predicate,
    object,
    sources.map(({ title, documentId, source }) => title ?? documentId ?? source ?? '').join(', '),
  ])
  printAnswer(formatTable(['score', 'subject', 'predicate', 'object', 'sources'], rows))
  if (answer.metadata.truncated) printProgress('there is more around these than was searched')
}

interface ImportOptions extends Options {
  source?: string
  replace?: boolean
}

/** What is more than one import takes goes in several, of which only the first replaces. */
async function importFile(
  { knowledge }: Api,
  file: string,
  { scope, json, source = basename(file), replace }: ImportOptions,
): Promise<void> {
  const text = await readFileText(file)
  const triples = parseTriples(text, file)
  let done: KnowledgeImported | undefined
  for (let start = 0; start === 0 || start < triples.length; start += maxTriples) {
    const next = await knowledge.import({
      scope,
      source,
      triples: triples.slice(start, start + maxTriples),
      replace: start === 0 ? replace : undefined,
    })
    const before = done ?? { added: 0, removed: 0 }
    done = {
      source: next.source,
      added: before.added + next.added,
      removed: before.removed + next.removed,
    }
  }
  if (json) printJson(done)
  else
    printAnswer(`${source}: ${done!.added} added, ${done!.removed} removed, ${done!.source.relations} in all`)
}

interface ExtractOptions extends Options {
  model?: string
  wait?: boolean
}

async function extract(api: Api, ids: string[], options: ExtractOptions): Promise<void> {
  const { scope, model, wait, json, url } = options
  const started = await api.knowledge.extract({
    scope,
    model,
    documentIds: ids.length > 0 ? ids : undefined,
  })
  const found: KnowledgeExtraction = wait
    ? { ...started, items: await untilRead(api, started.items, scope) }
    : started
  if (found.items.some(({ status }) => status === 'failed')) process.exitCode = 1
  if (json) printJson(found)
  else if (found.items.length === 0) printProgress('there is nothing to read')
  else printSources(found.items)
  if (found.more) printProgress('there are more: extract once more')
  if (!wait && url === undefined && found.items.length > 0)
    printProgress('it begins as soon as a server works on this store (parley serve), or with --wait')
}

const pollMs = 300

/** Polls, since reading may outlive any connection. */
async function untilRead(
  { knowledge, adopt }: Api,
  items: KnowledgeSource[],
  scope: string | undefined,
): Promise<KnowledgeSource[]> {
  const read: KnowledgeSource[] = []
  for (const { name } of items)
    for (;;) {
      const [source] = (await knowledge.sources({ scope, name })).items
      // deleted, or forgotten, while it was read
      if (!source) break
      if (source.status === 'done' || source.status === 'failed') {
        printProgress(`${source.title ?? name}: ${source.status}`)
        read.push(source)
        break
      }
      // nobody else may be there to do it
      for (const { sessionIds = [] } of adopt
        ? (await knowledge.sources({ scope, status: 'running' })).items
        : [])
        for (const sessionId of sessionIds) adopt?.(sessionId)
      await sleep(pollMs)
    }
  return read
}

type ListOptions = Options & Pick<KnowledgeSourceListQuery, 'kind' | 'status'>

async function listSources(
  { knowledge }: Api,
  { scope, kind, status, limit, cursor, json }: ListOptions,
): Promise<void> {
  const page = await knowledge.sources({ scope, kind, status, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no sources')
  printSources(page.items)
  printMore(page.nextCursor)
}

function printSources(sources: readonly KnowledgeSource[]): void {
  const rows = sources.map((source) => [
    source.name,
    source.title ?? source.kind,
    source.version === source.currentVersion ? source.status : `${source.status}, changed since`,
    String(source.relations),
    source.updatedAt,
  ])
  printAnswer(formatTable(['source', 'title', 'status', 'relations', 'changed'], rows))
  for (const { name, reason } of sources)
    if (reason !== undefined) printProgress(`parley: ${name}: ${reason}`)
}
