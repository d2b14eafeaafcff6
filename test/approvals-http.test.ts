import { expect, it } from 'vitest'
import { startApp, type AppServer } from './http/app-server.ts'

const apiKeys = [
  { name: 'operator', key: 'operator-0123456789', scopes: undefined },
  { name: 'guest', key: 'guest-0123456789012', scopes: ['red'] },
]
const as = (key: string) => ({ authorization: `Bearer ${key}` })
const operator = as('operator-0123456789')
const guest = as('guest-0123456789012')

/** A session that asks for something; answers the id of the ask. */
async function addAsk(server: AppServer, more: { kind?: 'file_access'; outside?: string[] } = {}) {
  const created = await server.send('POST', '/api/sessions', { headers: operator, body: { scope: 'red' } })
  const { id } = created.json as { id: string }
  const run = await server.store.createRun({ scope: 'red', sessionId: id, kind: 'turn', input: {} })
  const { approval } = await server.store.createApproval({
    scope: 'red',
    sessionId: id,
    runId: run.id,
    toolCallId: 'call-1',
    toolName: 'file',
    action: 'write',
    kind: 'file_change',
    input: { path: 'a.md' },
    resources: ['/somewhere/a.md'],
    outside: [],
    reason: 'It changes something.',
    fallback: 'deny',
    timeoutMs: 60_000,
    ...more,
  })
  return { sessionId: id, approvalId: approval.id }
}

it('are listed, read and decided once, within their scope', async () => {
  await using server = await startApp({ apiKeys })
  const { approvalId, sessionId } = await addAsk(server)
  const listed = await server.send('GET', '/api/approvals?scope=red', { headers: guest })
  expect(listed.json).toMatchObject({
    items: [{ id: approvalId, sessionId, status: 'pending' }],
    nextCursor: null,
  })
  const read = await server.send('GET', `/api/approvals/${approvalId}?scope=red`, { headers: guest })
  expect(read.json).toMatchObject({ id: approvalId, reason: 'It changes something.' })
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', { decision: 'approve' }],
  ] as const) {
    const elsewhere = await server.send(method, `/api/approvals/${approvalId}?scope=blue`, {
      headers: operator,
      body,
    })
    expect(elsewhere.status).toBe(404)
  }
  const decided = await server.send('POST', `/api/approvals/${approvalId}`, {
    headers: guest,
    body: { scope: 'red', decision: 'deny', message: 'No.', remember: 'session' },
  })
  expect(decided.json).toMatchObject({ status: 'denied', decidedBy: 'guest', message: 'No.' })
  const again = await server.send('POST', `/api/approvals/${approvalId}`, {
    headers: operator,
    body: { scope: 'red', decision: 'approve' },
  })
  expect(again.status).toBe(409)
  expect((await server.store.requireSession('red', sessionId)).permissionRules).toEqual([
    { tool: 'file', action: ['write'], path: '/somewhere/a.md', decision: 'deny' },
  ])
})

it.each([
  { decision: 'maybe' },
  { decision: 'deny', paths: ['/etc'] },
  { decision: 'deny', input: {} },
  { decision: 'approve', message: 'why not' },
  { decision: 'approve', paths: ['/etc'] },
  { decision: 'approve', remember: 'ever' },
])('refuse %j, and stay undecided', async (body) => {
  await using server = await startApp({ apiKeys })
  const { approvalId } = await addAsk(server)
  const answer = await server.send('POST', `/api/approvals/${approvalId}`, {
    headers: operator,
    body: { scope: 'red', ...body },
  })
  expect(answer.status, answer.text).toBe(400)
  expect((await server.store.getApproval('red', approvalId))?.status).toBe('pending')
})

it('let nobody reach beyond the scope whose key is bound to it', async () => {
  await using server = await startApp({ apiKeys })
  const { approvalId, sessionId } = await addAsk(server, { kind: 'file_access', outside: ['/etc/passwd'] })
  const grant = (headers: Record<string, string>) =>
    server.send('POST', `/api/approvals/${approvalId}`, {
      headers,
      body: { scope: 'red', decision: 'approve' },
    })
  expect((await grant(guest)).status).toBe(403)
  const patch = (headers: Record<string, string>, body: object) =>
    server.send('PATCH', `/api/sessions/${sessionId}`, { headers, body: { scope: 'red', ...body } })
  expect((await patch(guest, { toolGroups: { terminal: true } })).status).toBe(403)
  expect((await patch(guest, { grantedPaths: ['/etc'] })).status).toBe(400)
  expect((await patch(guest, { toolGroups: { workspace: false } })).status).toBe(200)
  expect((await patch(operator, { toolGroups: { terminal: true } })).status).toBe(200)
  expect((await server.store.getApproval('red', approvalId))?.status).toBe('pending')
  expect((await grant(operator)).status).toBe(200)
  expect((await server.store.requireSession('red', sessionId)).grantedPaths).toEqual(['/etc/passwd'])
})

it('say to each reader which answers would be refused', async () => {
  await using server = await startApp({ apiKeys })
  const asks = [await addAsk(server), await addAsk(server, { kind: 'file_access', outside: ['/etc/passwd'] })]
  const told = async (headers: Record<string, string>) => {
    const page = await server.send('GET', '/api/approvals?scope=red', { headers })
    const listed = (page.json!.items as { id: string; refuses?: string[] }[]).map(({ refuses }) => refuses)
    for (const { approvalId } of asks) {
      const { json } = await server.send('GET', `/api/approvals/${approvalId}?scope=red`, { headers })
      expect(listed).toContainEqual(json!.refuses)
    }
    return listed
  }
  expect(await told(operator)).toEqual([undefined, undefined])
  expect(await told(guest)).toEqual([['approve', 'remember'], ['remember']])
  // and they are, while the others are taken
  const answer = (id: string, body: object) =>
    server.send('POST', `/api/approvals/${id}`, { headers: guest, body: { scope: 'red', ...body } })
  const [one, outside] = asks.map(({ approvalId }) => approvalId)
  expect((await answer(one!, { decision: 'approve', remember: 'session' })).status).toBe(403)
  expect((await answer(outside!, { decision: 'approve' })).status).toBe(403)
  const taken = await answer(one!, { decision: 'approve' })
  expect(taken.json).toMatchObject({ status: 'approved', refuses: ['remember'] })
})
