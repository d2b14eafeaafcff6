import type { Logger } from 'pino'
import type { ScopeContext } from '../chat/scope-context.ts'
import { createFileSearch, type FileSearch } from '../context/file-search.ts'
import { createCredentialFile, type CredentialFile } from '../models/credential-file.ts'
import type { KnownModels } from '../models/known-models.ts'
import type { ModelLists } from '../models/model-lists.ts'
import type { ModelRegistry } from '../models/registry.ts'
import type { ListedExtension } from '../protocol/catalogue.ts'
import type { ScopeSettingsDeps } from '../sessions/scope-settings.ts'
import type { Windows } from '../sessions/window/windows.ts'
import type { Store } from '../store/store.ts'
import type { Tool } from '../tools/tool.ts'

/** What those work with who show what there is to choose from. */
export interface CatalogueDeps extends Pick<
  ScopeSettingsDeps,
  'parameters' | 'permissionMode' | 'toolGroups' | 'readEffective' | 'trust'
> {
  store: Store
  windows: Windows
  registry: ModelRegistry
  lists: ModelLists
  knownModels: KnownModels
  /** Asks a server for the model of those who name none, where only its address was set. */
  findDefaultModel(): Promise<void> | undefined
  /** Undefined where Parley has no data folder of its own. */
  credentials: CredentialFile | undefined
  tools: readonly Tool[]
  context: Pick<ScopeContext, 'current'>
  files: FileSearch
  extensions: readonly ListedExtension[]
}

export interface CatalogueOptions extends Pick<
  CatalogueDeps,
  | 'store'
  | 'windows'
  | 'registry'
  | 'lists'
  | 'knownModels'
  | 'findDefaultModel'
  | 'tools'
  | 'context'
  | 'parameters'
  | 'permissionMode'
  | 'toolGroups'
  | 'readEffective'
  | 'trust'
  | 'extensions'
> {
  dataDir: string | undefined
  /** Real paths of folders that are not entered. */
  forbidden?: readonly string[]
  logger: Logger
}

/** Hands the registry the keys that are stored. A file that cannot be read is logged and left alone. */
export async function openCatalogue(options: CatalogueOptions): Promise<CatalogueDeps> {
  const {
    store,
    windows,
    registry,
    tools,
    context,
    lists,
    knownModels,
    findDefaultModel,
    dataDir,
    forbidden,
    logger,
  } = options
  const { parameters, permissionMode, toolGroups, readEffective, trust, extensions } = options
  const credentials = dataDir === undefined ? undefined : createCredentialFile(dataDir)
  try {
    if (credentials) registry.useStored(await credentials.read())
  } catch (error) {
    logger.warn({ err: error }, 'the stored keys of providers cannot be read; they are not used')
  }
  return {
    store,
    windows,
    registry,
    lists,
    knownModels,
    findDefaultModel,
    credentials,
    tools,
    context,
    parameters,
    permissionMode,
    toolGroups,
    readEffective,
    trust,
    extensions,
    files: createFileSearch({ forbidden }),
  }
}
