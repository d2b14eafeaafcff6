import { defineRoute, idSchema, inScopeSchema, z, type RouteContribution, type Store } from 'parley/extension'
import { requirePoll } from './verbs.ts'

const votes = defineRoute({
  method: 'get',
  path: '/api/polls/{id}/votes.csv',
  summary: 'The votes of a poll as a table',
  tags: ['polls'],
  request: { params: z.object({ id: idSchema }), query: inScopeSchema },
  responses: {
    200: { description: 'One line for each vote', content: { 'text/csv': { schema: z.string() } } },
  },
})

/** Responses other than JSON need their own route. The server has already checked the key, the scope and the request format. */
export const votesRoute = (store: Store): RouteContribution => ({
  name: 'polls',
  register(host) {
    host.add(votes, async (c, { scope }) => {
      const { id } = await requirePoll(store, scope, c.req.valid('param').id)
      const rows = (await store.listVotes(id)).map(({ voter, choice }) => [voter, choice])
      const lines = [['voter', 'choice'], ...rows].map((row) => row.map(toField).join(','))
      return c.body(`${lines.join('\r\n')}\r\n`, 200, { 'Content-Type': 'text/csv; charset=utf-8' })
    })
  },
})

/** A spreadsheet would run a text that starts like a formula. */
const toField = (text: string) => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`
