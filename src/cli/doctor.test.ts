import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { checkNode, checkWorkbench } from './doctor-machine.ts'
import { checkClock } from './doctor-store.ts'

it('names a Node that is too old, and what to install', () => {
  expect(checkNode({ ...process.versions, node: '22.19.0' })).toMatchObject({
    ok: false,
    detail: expect.stringContaining('22.19.0'),
    next: expect.stringContaining('Node 24'),
  })
  expect(checkNode(process.versions)).not.toHaveProperty('next')
})

it('warns of clocks that differ, in either direction', () => {
  expect(checkClock({ aheadMs: 61_000 })).toMatchObject({
    ok: true,
    detail: expect.stringContaining('61.0 s ahead of'),
    next: expect.stringContaining('NTP'),
  })
  expect(checkClock({ aheadMs: -7_500 }).detail).toContain('7.5 s behind')
  expect(checkClock({ aheadMs: 900 })).not.toHaveProperty('next')
})

it('says how to build the workbench', () => {
  expect(checkWorkbench(tmpdir())).toMatchObject({
    ok: false,
    next: expect.stringContaining('npm start'),
  })
})
