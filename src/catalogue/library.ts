import { fileQuerySchema, type Catalogue } from '../protocol/catalogue.ts'
import { misfit } from '../protocol/issues.ts'
import { modelListQuerySchema, putProviderSchema, type Models, type Providers } from '../protocol/models.ts'
import { updateSettingsSchema, type Settings } from '../protocol/settings.ts'
import { getScopeSettings, updateScopeSettings } from '../sessions/scope-settings.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { CatalogueDeps } from './deps.ts'
import { findFiles, listRules, listSkills, listSlashCommands, listTools } from './lists.ts'
import { listModels } from './models.ts'
import { deleteProvider, putProvider } from './providers.ts'

/** The same calls that the client has, for the program that embeds a Parley. Input is checked as it is over HTTP. */
export function createLibrary(deps: CatalogueDeps): {
  models: Models
  providers: Providers
  settings: Settings
  catalogue: Catalogue
} {
  const { store } = deps
  return {
    models: {
      list: async (query = {}) => listModels(deps, callerIn(query), check(modelListQuerySchema, query)),
    },
    providers: {
      async put(name, input, options) {
        const parsed = putProviderSchema.safeParse(input)
        if (!parsed.success) throw misfit(parsed.error, input, { isSecret: true })
        return putProvider(deps, store, callerIn(options), name, parsed.data)
      },
      delete: async (name, options) => deleteProvider(deps, store, callerIn(options), name),
    },
    settings: {
      get: async (options) => getScopeSettings(deps, store, callerIn(options)),
      update: async (patch) =>
        updateScopeSettings(deps, store, callerIn(patch), check(updateSettingsSchema, patch)),
    },
    catalogue: {
      tools: async () => listTools(deps),
      rules: async (options) => listRules(deps, callerIn(options)),
      skills: async (options) => listSkills(deps, callerIn(options)),
      commands: async (options) => listSlashCommands(deps, callerIn(options)),
      files: async (query = {}) => findFiles(deps, callerIn(query), check(fileQuerySchema, query)),
    },
  }
}
