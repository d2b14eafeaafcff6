import type { Tool } from '../../core/tools/tool.ts'
import { createAddressRules } from '../../core/net/address-rules.ts'
import { resolveBySystem, type Resolve } from '../../core/net/checked-request.ts'
import { createFetchTool, defaultFetchLimits, type FetchLimits } from './fetch-tool.ts'
import { createSearchEngine, type EngineDeps, type SearchSettings } from './search-engines.ts'
import { createSearchTool } from './search-tool.ts'

export interface WebSettings extends Partial<FetchLimits> {
  /** Hosts, addresses and ranges that may be reached although they are private; default none. */
  allowPrivate?: readonly string[]
  /** Without any of them there is no `web_search`. */
  search?: SearchSettings
}

export interface WebDeps extends EngineDeps {
  /** Names to addresses; default: as the system does it. */
  resolve?: Resolve
  /** Those of this machine, which are not public even if they seem so. */
  ownAddresses?: () => readonly string[]
}

export function createWebTools(settings: WebSettings = {}, deps: WebDeps = {}): Tool[] {
  const { allowPrivate = [], search = {}, ...given } = settings
  const limits = { ...defaultFetchLimits, ...given }
  const rules = createAddressRules(allowPrivate, deps.ownAddresses)
  const engine = createSearchEngine(search, deps)
  return [
    createFetchTool(
      { resolve: deps.resolve ?? resolveBySystem, rules, allowedBy: 'web.allowPrivate' },
      limits,
    ),
    ...(engine ? [createSearchTool(engine, limits)] : []),
  ]
}
