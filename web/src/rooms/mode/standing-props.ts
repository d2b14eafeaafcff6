import type { FindAgent } from '../use-room-names.ts'

/** What all may know of a mode, and how those in it are shown. */
export interface StandingProps {
  state: Readonly<Record<string, unknown>>
  agentOf: FindAgent
  nameOf(name: string): string
}
