import { useEffect, useEffectEvent, useRef } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { approvalsTexts } from './texts.ts'

/** Says each ask aloud, once. The focus stays where it is. */
export function useAnnounceAsks(approvals: readonly Approval[] | undefined): void {
  const t = useTexts(approvalsTexts)
  const announce = useAnnounce()
  const said = useRef(new Set<string>())
  const say = useEffectEvent((fresh: readonly Approval[]) =>
    announce(fresh.map(({ toolName, kind }) => t.asks(toolName, t.kinds[kind])).join(' ')),
  )
  useEffect(() => {
    const fresh = approvals?.filter(({ id }) => !said.current.has(id)) ?? []
    if (fresh.length === 0) return
    for (const { id } of fresh) said.current.add(id)
    say(fresh)
  }, [approvals])
}
