import type { LinkProps } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import type { FilledPath } from './pages.ts'

type Target = LinkProps['to']

it('leads only to pages that there are', () => {
  const known: Target[] = ['/', '/plans', '/plans/$planId', '/x/$extension/$']
  // @ts-expect-error -- nobody has this page
  const unknown: Target = '/plan'
  const filled: FilledPath[] = ['/settings', '/workflow-runs/wfr_1']
  // @ts-expect-error -- nor this one
  const unfilled: FilledPath = '/workflow-run/wfr_1'
  expect([...known, ...filled]).not.toContain([unknown, unfilled])
})
