import { Command, Option } from 'commander'
import type { Providers } from '../core/catalogue/operations.ts'
import type { Api } from '../core/command-line/command-group.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../core/command-line/output.ts'
import { readText } from '../core/command-line/read-text.ts'
import { conflict, invalidRequest } from '../core/protocol/error.ts'
import { namedProviderKinds, type NamedProviderKind, type Provider } from '../core/protocol/models.ts'
import { findServer } from '../core/store/sqlite/data-dir-lock.ts'
import { readCommandConfig, withApi } from './open-parley.ts'

interface Options {
  kind?: NamedProviderKind
  baseUrl?: string
  keyFile?: string
  ask?: string
  json?: boolean
  url?: string
}

declare module '../core/command-line/command-group.ts' {
  interface Api {
    providers: Providers
  }
}

export function providersCommand(): Command {
  const providers = new Command('providers')
    .description('servers that models are asked at: list, add, change, test and remove them')
    .option('--url <url>', 'of a running server; without it the local store is used')

  providers
    .command('list', { isDefault: true })
    .description('the built-in ones first, and where their keys and addresses come from')
    .action((_options, command: Command) => run(command, list))

  providers
    .command('set <name>')
    .description(
      'store the key or the address of a provider, in place of what was stored; a new name adds one',
    )
    .option('--base-url <url>', 'address of the server, such as http://127.0.0.1:8080/v1')
    .option('--key-file <file>', 'file that holds the key; - is stdin')
    .addOption(
      new Option('--kind <kind>', 'what a server with a name of its own speaks (openai)').choices(
        namedProviderKinds,
      ),
    )
    .action((name: string, _options, command: Command) =>
      change(command, (api, options) => set(api, name, options)),
    )

  providers
    .command('test <name>')
    .description('ask it for its models')
    .option('--ask <model>', 'send this model of it a short message too, which costs a few tokens')
    .action((name: string, _options, command: Command) =>
      run(command, (api, options) => test(api, name, options)),
    )

  providers
    .command('remove <name>')
    .description('forget what is stored for it')
    .action((name: string, _options, command: Command) =>
      change(command, async ({ providers: api }, { json }) => {
        await api.delete(name)
        if (json) printJson({ name, deleted: true })
        else printProgress(`removed ${name}`)
      }),
    )
  return providers
}

const run = (command: Command, work: (api: Api, options: Options) => Promise<void>): Promise<void> =>
  withApi(command, (api) => work(api, command.optsWithGlobals<Options>()))

/** A server has read what is stored, and would go on without what is changed beside it. */
async function change(command: Command, work: (api: Api, options: Options) => Promise<void>): Promise<void> {
  if (command.optsWithGlobals<Options>().url === undefined) {
    const { databaseUrl, dataDir } = readCommandConfig(command).config
    const server = databaseUrl === undefined ? findServer(dataDir) : undefined
    if (server)
      throw conflict(
        `A Parley server uses this data folder${server.url ? `: give --url ${server.url}` : '; try again when it is ready, with its --url'}.`,
      )
  }
  return run(command, work)
}

async function list({ providers }: Api, { json }: Options): Promise<void> {
  const page = await providers.list()
  if (json) return printJson(page)
  printAnswer(formatTable(['NAME', 'SPEAKS', 'SOURCE', 'ADDRESS'], page.items.map(toRow)))
}

const toRow = ({ name, kind, source, isConfigured, baseUrl }: Provider) => [
  name,
  kind,
  isConfigured || source === 'none' ? source : `${source}, incomplete`,
  baseUrl ?? '',
]

async function set(
  { providers }: Api,
  name: string,
  { kind, baseUrl, keyFile, json }: Options,
): Promise<void> {
  const apiKey = keyFile === undefined ? undefined : (await readText(keyFile)).trim()
  if (apiKey === '')
    throw invalidRequest(`--key-file: there is no key in ${keyFile === '-' ? 'stdin' : keyFile}.`)
  const stored = await providers.put(name, { kind, baseUrl, apiKey })
  if (json) return printJson(stored)
  printAnswer(`${stored.name}  ${stored.kind}  ${stored.baseUrl ?? 'its own address'}`)
  if (stored.source === 'environment')
    printProgress('not used: the environment or a config file says something else of it, and goes before it')
}

async function test({ providers }: Api, name: string, { ask: model, json }: Options): Promise<void> {
  const result = await providers.test(name, { model })
  if (!result.ok) process.exitCode = 5
  if (json) return printJson(result)
  const { ok, models, ms, reply, error } = result
  printAnswer(`${name}  ${ok ? 'ok' : 'failed'}  ${models} models  ${ms} ms`)
  if (reply !== undefined) printAnswer(`reply: ${reply}`)
  if (error !== undefined) printProgress(error)
}
