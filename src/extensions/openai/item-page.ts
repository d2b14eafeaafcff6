/** Lists of items, as OpenAI pages them: by the id of the last one. */
import { z } from 'zod'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { wholeNumber } from '../../core/protocol/names.ts'

const defaultLimit = 20
const maxLimit = 100

export const itemPageFields = {
  limit: wholeNumber(1, maxLimit)
    .optional()
    .meta({ description: `1 to ${maxLimit}; default ${defaultLimit}` }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: 'Default desc' }),
  after: z.string().max(300).optional().meta({ description: 'The id of the last item of the page before' }),
}
export interface ItemPage {
  limit?: number
  order?: 'asc' | 'desc'
  after?: string
}

export const logItemSchema = z
  .looseObject({ id: z.string(), type: z.string() })
  .meta({ id: 'ResponseItem', description: 'A message, a call of a function, its output, or reasoning' })
export type LogItem = z.infer<typeof logItemSchema>

export const itemListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(logItemSchema),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ResponseItemList' })
export type ItemList = z.infer<typeof itemListSchema>

/** `items` are oldest first. */
export function toItemPage(items: readonly LogItem[], page: ItemPage): ItemList {
  const { limit = defaultLimit, order = 'desc', after } = page
  const ordered = order === 'asc' ? [...items] : items.toReversed()
  const begin = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && begin === 0)
    throw invalidRequest(`There is no item ${quote(after)} in the list.`, { param: 'after' })
  const data = ordered.slice(begin, begin + limit)
  return toItemList(data, begin + limit < ordered.length)
}

export const toItemList = (data: LogItem[], hasMore = false): ItemList => ({
  object: 'list',
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore,
})
