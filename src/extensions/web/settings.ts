import { defineSettings } from '../../core/settings/settings-slice.ts'
import { maskUrl } from '../../core/settings/mask-settings.ts'
import { setting } from '../../core/settings/setting.ts'
import { httpUrl, privateHosts, secretKey, wholeNumber } from '../../core/settings/values.ts'

export const webSettings = defineSettings({
  listedAfter: 'window',
  toOptions: ({ web }) => ({ web }),
  table: {
    'web.allowPrivate': setting(privateHosts, {
      description:
        'Hosts, addresses and ranges (`10.0.0.0/8`) that `web_fetch` may reach although they are not public.',
      default: [],
      env: 'PARLEY_WEB_ALLOW_PRIVATE',
    }),
    'web.maxBytes': setting(wholeNumber(1_024, 104_857_600), {
      description: 'So much of a page is read, in bytes, unpacked.',
      default: 5 * 1_024 * 1_024,
    }),
    'web.maxCharacters': setting(wholeNumber(500, 1_000_000), {
      description: 'Characters of a page in one answer to the model; it can ask for more.',
      default: 20_000,
      project: 'always',
    }),
    'web.timeoutMs': setting(wholeNumber(100, 600_000), {
      description: 'How long a page or a search may take, in milliseconds.',
      default: 30_000,
      project: 'always',
    }),
    'web.search.searxngUrl': setting(httpUrl, {
      description: 'Address of a SearXNG server with JSON results; goes before the other engines.',
      env: 'SEARXNG_URL',
      mask: maskUrl,
    }),
    'web.search.braveKey': setting(secretKey(), {
      description: 'Key of the Brave Search API; goes before Tavily.',
      env: 'BRAVE_API_KEY',
      secret: true,
    }),
    'web.search.tavilyKey': setting(secretKey(), {
      description: 'Key of the Tavily API.',
      env: 'TAVILY_API_KEY',
      secret: true,
    }),
  },
})
