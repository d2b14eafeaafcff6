import type { Calls } from '../operations/calls.ts'
import { operationsOf } from '../operations/operation.ts'
import { findFiles, listRules, listSkills, listSlashCommands, listTools } from './list-context.ts'
import { listModels } from './models.ts'
import { deleteProvider, listProviders, putProvider } from './providers.ts'
import { testProvider } from './test-provider.ts'
import {
  commandListSchema,
  extensionListSchema,
  fileListSchema,
  fileQuerySchema,
  ruleListSchema,
  skillListSchema,
  toolListSchema,
} from '../protocol/catalogue.ts'
import {
  modelListQuerySchema,
  modelListSchema,
  providerListSchema,
  providerSchema,
  providerTestSchema,
  putProviderSchema,
  testProviderSchema,
} from '../protocol/models.ts'
import type { ProviderTest } from '../protocol/models.ts'
import { idSchema } from '../protocol/names.ts'
import type { SettingsSchemas } from '../protocol/settings.ts'
import { getScopeSettings, updateScopeSettings } from '../sessions/scope-settings.ts'
import type { CatalogueDeps } from './open-catalogue.ts'

const models = operationsOf<CatalogueDeps>('models')
const params = { name: idSchema.meta({ example: 'openai' }) }

export const modelOperations = {
  /** What is configured, and what each provider lists. The failure of a provider is part of the answer; it never throws. */
  list: models.read('/api/models', {
    summary: 'List the models and their providers',
    input: modelListQuerySchema,
    output: modelListSchema,
    returns: 'Models and providers',
    run: ({ deps, caller }, _, { refresh }) => listModels(deps, caller, { refresh }),
  }),
}

/** Which models there are: the same call in the process and over HTTP. */
export type Models = Calls<typeof modelOperations>

export const providerOperations = {
  /** Asks none of them for anything; `models.list` does. */
  list: models.read('/api/providers', {
    summary: 'List the providers, and where their keys and addresses come from',
    output: providerListSchema,
    returns: 'The built-in ones first',
    run: ({ deps }) => ({ items: listProviders(deps), nextCursor: null }),
  }),
  /** Replaces what was stored. `source` shows whether it takes effect: the environment wins. */
  put: models.write('PUT', '/api/providers/{name}', {
    params,
    isSecret: true,
    summary:
      'Store the key or the address of a provider, or add one under a new name; needs a key that is not bound to scopes',
    input: putProviderSchema,
    output: providerSchema,
    returns: 'The provider as it is now, without its key',
    run: ({ tx, deps, caller }, { name }, input) => putProvider(deps, tx, caller, name, input),
  }),
  /** That a provider cannot be used is the answer; it never throws for that. */
  test: models.write('POST', '/api/providers/{name}/test', {
    params,
    keepsKeys: false,
    summary:
      'Ask a provider for its models, and one of them for a word; needs a key that is not bound to scopes',
    input: testProviderSchema,
    output: providerTestSchema,
    returns: 'Whether it can be used',
    before: ({ deps, caller }, { name }, input) => testProvider(deps, caller, name, input),
    run: ({ prepared }) => prepared as ProviderTest,
  }),
  /** Forgets what was stored. */
  delete: models.remove('/api/providers/{name}', {
    params,
    summary: 'Forget what is stored for a provider; needs a key that is not bound to scopes',
    returns: 'Forgotten',
    run: ({ tx, deps, caller }, { name }) => deleteProvider(deps, tx, caller, name),
  }),
}

/** Keys that Parley keeps itself, and addresses of providers. */
export type Providers = Calls<typeof providerOperations>

const settings = operationsOf<CatalogueDeps>('settings')

export const settingsOperationsOf = (schemas: SettingsSchemas) => ({
  get: settings.read('/api/settings', {
    summary: 'Get the settings of a scope, for sessions without their own',
    output: schemas.view,
    returns: 'The settings',
    before: async ({ deps }) => deps.findDefaultModel(),
    run: ({ tx, deps, caller }) => getScopeSettings(deps, tx, caller),
  }),
  update: settings.write('PATCH', '/api/settings', {
    summary: 'Set the model or the window of a scope; turns that begin later use it',
    input: schemas.update,
    output: schemas.view,
    returns: 'The settings as they are now',
    refuses: { 503: 'There is no key for this model' },
    run: ({ tx, deps, caller }, _, patch) => updateScopeSettings(deps, tx, caller, patch),
  }),
})

/** What holds in a scope: a call goes before it, then a session; it goes before the configuration. */
export type Settings = Calls<ReturnType<typeof settingsOperationsOf>>

const catalogue = operationsOf<CatalogueDeps>('catalogue')

export const catalogueOperations = {
  tools: catalogue.read('/api/tools', {
    summary: 'List the tools that models can use',
    output: toolListSchema,
    returns: 'All tools, by name',
    run: ({ deps }) => listTools(deps),
  }),
  rules: catalogue.read('/api/rules', {
    summary: 'List the rules that were read from disk, in the order of the prompt',
    output: ruleListSchema,
    returns: 'All files',
    run: ({ deps, caller }) => listRules(deps, caller),
  }),
  skills: catalogue.read('/api/skills', {
    summary: 'List the skills of the scope and of the user',
    output: skillListSchema,
    returns: 'All skills, by name',
    run: ({ deps, caller }) => listSkills(deps, caller),
  }),
  commands: catalogue.read('/api/commands', {
    summary: 'List the slash commands',
    output: commandListSchema,
    returns: 'All commands, by name',
    run: ({ deps, caller }) => listSlashCommands(deps, caller),
  }),
  /** Paths that match, the best first; what git ignores is not among them. */
  files: catalogue.read('/api/files', {
    summary: 'List paths in the folder of the scope, for completion after "@"',
    input: fileQuerySchema,
    output: fileListSchema,
    returns: 'The best matches first',
    run: ({ deps, caller }, _, asked) => findFiles(deps, caller, asked),
  }),
  extensions: catalogue.read('/api/extensions', {
    summary: 'List the extensions, and the pages that they add to the workbench',
    output: extensionListSchema,
    returns: 'All extensions, in the order in which they are joined',
    run: ({ deps }) => ({ items: [...deps.extensions], nextCursor: null }),
  }),
}

/** What there is to choose from in a scope. Without a folder a scope has no rules, skills and files. */
export type Catalogue = Calls<typeof catalogueOperations>
