/** What rooms add to records of the core: to inputs, and to what fragments of prompts look at. */
export interface SeatInput {
  agent: string
  /** The room, and how long its log was: what the agent changes is undone there. */
  roomId: string
  roomSeq: number
  persona: string
  peers: string
  rules: string
  /** Where the mode stands; sent again when it changed. */
  state?: string
  /** What it is to do now. */
  task?: string
  /** Its answer is one JSON object of this JSON Schema. */
  schema?: Record<string, unknown>
  /** Words without an object are this field of it. */
  textAs?: string
  /** How often it is asked again for that form. */
  repairs?: number
  withoutTools?: boolean
}

export interface RoomInput {
  from?: string
  /** The message that it replies to. */
  replyTo?: string
  /** Somebody takes the room on. */
  advance?: {
    action?: Record<string, unknown>
    /** One agent is asked alone; the message of the turn is a whisper then. */
    ask?: {
      agent: string
      isWhisper?: boolean
      /** The round in which it has answered already; what others said in it stays. */
      again?: { runId: string; number: number }
    }
  }
  /** Results of tasks wait for this agent. */
  wakes?: string
}

declare module '../../core/chat/turn-input.ts' {
  interface InputFacets {
    /** Of the turn of an agent in a room: what it is told beside what was said there. */
    seat?: SeatInput
    /** Of a room: who says it, or that nobody said anything. */
    room?: RoomInput
  }
}

declare module '../../core/prompt/fragment.ts' {
  interface PromptFacets {
    /** Of an agent in a room: who it is, who else is there, what the rules are; where things stand, and its task. */
    seat?: SeatInput
  }
}
