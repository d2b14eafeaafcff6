/** What memory adds to records of the core: to inputs, and to what fragments of prompts look at. */
declare module '../../core/chat/turn-input.ts' {
  interface InputFacets {
    /** The turn is told nothing of what is remembered. */
    skipMemory?: boolean
    /** Nothing is learned from the turn itself, from the stretch of conversation that ends with it, from documents it changed. */
    skipPerRoundExtract?: boolean
    skipNarrativeBatchExtract?: boolean
    skipDocumentExtract?: boolean
  }
}

declare module '../../core/prompt/fragment.ts' {
  interface PromptFacets {
    memories?: SentMemory[]
  }
}

export interface SentMemory {
  id?: string
  text: string
  kind: string
}
