import { z } from 'zod'

export const webSearchField = z
  .enum(['SearXNG', 'Brave', 'Tavily'])
  .optional()
  .meta({ description: 'Whom web_search asks; there is no such tool while nobody is set up' })
