import { defineExtension } from '../../core/extension.ts'
import { webFacets } from './facets.ts'
import { count, filledText, optionGroup, positiveCount, textList } from '../../core/protocol/options.ts'
import { searchEngineName, type SearchSettings } from './search-engines.ts'
import { createWebTools, type WebSettings } from './web-tools.ts'

interface WebOptions {
  /** What `web_fetch` may reach, and where `web_search` asks; what is left out has its default. */
  web?: WebSettings
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends WebOptions {}
}

/** Pages of the web: fetching and searching. */
export const web = defineExtension({
  name: 'web',
  store: { name: 'web', facets: webFacets },
  toolNames: ['web_fetch', 'web_search'],
  secretOptions: ['web'],
  options: {
    web: optionGroup<WebSettings>({
      maxBytes: count,
      maxCharacters: count,
      timeoutMs: positiveCount,
      allowPrivate: textList,
      search: optionGroup<SearchSettings>({
        searxngUrl: filledText,
        braveKey: filledText,
        tavilyKey: filledText,
      }),
    }),
  },
  create(_, { options }) {
    const webSearch = searchEngineName(options.web?.search)
    return {
      service: undefined,
      tools: createWebTools(options.web),
      readEffective: () => ({ ...(webSearch && { webSearch }) }),
    }
  },
})
