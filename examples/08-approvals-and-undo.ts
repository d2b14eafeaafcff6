import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createParley } from 'parley'

mkdirSync('scratch', { recursive: true })
writeFileSync('scratch/greet.ts', "console.log('hello')\n")
await using parley = await createParley({
  dataDir: '.parley/example',
  scopes: { default: { root: 'scratch' } },
})
const { id } = await parley.sessions.create({ title: 'A coding session' })

// the offline demo model follows commands; a real model edits files when it sees fit
const edit = { action: 'edit', path: 'greet.ts', edits: [{ old: 'hello', new: 'good morning' }] }
const turn = parley.sessions.chat(id, `use file ${JSON.stringify(edit)}`)
for await (const { chunk } of turn) {
  if (chunk.type !== 'tool-approval-request') continue
  const { toolName, action, reason } = await parley.approvals.get(chunk.approvalId)
  console.log(`it asks: ${toolName} ${action}. ${reason}`)
  await parley.approvals.decide(chunk.approvalId, { decision: 'approve', remember: 'session' })
}
console.log(`after the edit: ${readFileSync('scratch/greet.ts', 'utf8').trim()}`)

// every turn has a checkpoint to roll back to
const { items } = await parley.sessions.checkpoints(id)
const { restored } = await parley.sessions.rollback(id, { checkpointId: items[0]!.id })
console.log(`rolled back ${restored.length} file: ${readFileSync('scratch/greet.ts', 'utf8').trim()}`)
console.log(`the log has ${(await parley.sessions.get(id)).messageCount} messages`)
await parley.sessions.delete(id)
