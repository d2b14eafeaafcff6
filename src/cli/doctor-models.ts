import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { createCredentialFile } from '../core/models/credential-file.ts'
import { createModelLists } from '../core/models/model-lists.ts'
import { createModelRegistry, type ConfiguredProvider, type ModelRegistry } from '../core/models/registry.ts'
import { isBuiltInProvider, type ProviderName } from '../core/protocol/models.ts'
import { systemClock } from '../core/shared/clock.ts'
import { findingOf, Trouble, type Finding } from './doctor-finding.ts'

/** The model that is used when nobody names one, and whether each provider that is set up answers. */
export async function checkModels(config: Config): Promise<Finding[]> {
  const { model, openai, anthropic, gemini, ollama, providers: named } = config
  const registry = createModelRegistry({ model, openai, anthropic, gemini, ollama, providers: named })
  const stored = await findingOf('stored keys', async () => {
    await useStored(config, registry)
    return ''
  })
  const lists = createModelLists({ clock: systemClock })
  const known: string[] = []
  const providers = await Promise.all(
    registry
      .providers()
      .filter(({ isConfigured }) => isConfigured)
      .map((provider) =>
        findingOf(provider.name, async () => {
          const { models, error } = await lists.of(provider)
          if (error !== undefined) throw new Trouble(error, adviceFor(provider))
          registry.useListed(provider.name, models)
          known.push(...models.map((name) => `${provider.name}/${name}`))
          return `answers, with ${models.length} models`
        }),
      ),
  )
  const chosen = await findingOf('model', async () => checkDefault(registry, known))
  return [...(stored.ok ? [] : [stored]), chosen, ...providers]
}

/** With PostgreSQL none are kept. */
async function useStored({ databaseUrl, dataDir }: Config, registry: ModelRegistry): Promise<void> {
  if (databaseUrl !== undefined || !existsSync(join(dataDir, 'credentials.json'))) return
  try {
    registry.useStored(await createCredentialFile(dataDir).read())
  } catch (error) {
    throw new Trouble((error as Error).message, 'then enter the keys again in the workbench, under settings')
  }
}

function checkDefault(registry: ModelRegistry, known: string[]): string | Pick<Finding, 'detail' | 'next'> {
  const id = registry.defaultId
  try {
    registry.require(id)
  } catch (error) {
    throw new Trouble((error as Error).message, 'or choose another model with PARLEY_MODEL')
  }
  if (id.startsWith('demo/') && known.length > 0)
    return {
      detail: `${id}, offline, though a provider is set up`,
      next: `set PARLEY_MODEL to a model that it has, such as ${known.slice(0, 3).join(', ')}`,
    }
  if (id.startsWith('demo/')) return `${id}, offline; a key of a provider (docs/models.md) gives real answers`
  const provider = id.slice(0, id.indexOf('/'))
  const named = known.filter((model) => model.startsWith(`${provider}/`))
  if (named.length === 0 || named.includes(id)) return id
  return {
    detail: `${id}, which its provider does not list`,
    next: `set PARLEY_MODEL to one that it has, such as ${named.slice(0, 3).join(', ')}`,
  }
}

const variables: Record<ProviderName, [key: string, address: string]> = {
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  google: ['GEMINI_API_KEY', 'the network'],
  ollama: ['OLLAMA_HOST', 'whether "ollama serve" runs'],
}

function adviceFor({ name, source }: ConfiguredProvider): string {
  if (source === 'stored')
    return 'correct its key or address in the workbench, under settings, or with "parley providers set"'
  if (!isBuiltInProvider(name)) return `see to providers.${name} in your config file`
  const [key, address] = variables[name]
  return `see to ${key} and ${address}`
}
