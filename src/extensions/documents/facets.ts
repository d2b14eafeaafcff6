/** What documents add to the context of prompt fragments. */
export interface HeldResource {
  resource: string
  holder: string
  reason?: string
}

declare module '../../core/prompt/fragment.ts' {
  interface PromptFacets {
    /** What the session holds, and what others hold of the things it changed. */
    locks?: HeldResource[]
  }
}
