import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSqliteOwnerLocks } from './owner-locks.ts'

function openLocks() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-owners-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const troubles: string[] = []
  return { folder, troubles, locks: createSqliteOwnerLocks(folder, (file) => void troubles.push(file)) }
}

it('knows nothing of an owner whose lock cannot be opened, says so once, and knows of the others', async () => {
  const { folder, troubles, locks } = openLocks()
  const alive = await locks.hold('alive')
  const file = join(folder, 'damaged.lock')
  writeFileSync(file, 'This is not what a lock looks like.'.repeat(100))
  const owners = ['damaged~damaged', alive.name, 'copied~elsewhere', 'older']
  for (let second = 0; second < 3; second++)
    expect(await locks.findGone(owners)).toEqual(['copied~elsewhere'])
  expect(troubles).toEqual([file])
  rmSync(file)
  expect(await locks.findGone(owners)).toEqual(['damaged~damaged', 'copied~elsewhere'])
  await alive.release()
  expect(readdirSync(folder)).toEqual([])
})
