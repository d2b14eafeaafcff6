/** What rooms add to records of the core: to sessions, to chats and inputs, and to the context of prompt fragments. */
import { defineFacets } from '../../core/protocol/facets.ts'
import { idSchema, speakerNameSchema } from '../../core/protocol/names.ts'
import { roomAgentNamesSchema, roomSettingsSchema, type RoomSettings } from './protocol/room.ts'

export const roomFacets = defineFacets({
  tags: ['peers', 'room_rules', 'room_state', 'room_task', 'message'],
  session: {
    after: 'modeState',
    fields: {
      agents: roomAgentNamesSchema
        .optional()
        .meta({ description: 'Makes it a room: the agents that are in it, by name' }),
      room: roomSettingsSchema.optional(),
    },
  },
  patch: {
    after: 'archiveReason',
    fields: {
      agents: roomAgentNamesSchema
        .optional()
        .meta({ description: 'Of a room; takes effect with the next input' }),
      room: roomSettingsSchema.nullish(),
    },
  },
  chat: {
    after: 'metadata',
    fields: {
      from: speakerNameSchema.optional().meta({ description: 'In a room: which person says it' }),
      replyTo: idSchema
        .optional()
        .meta({ description: 'In a room: the message that it replies to; agents see that' }),
    },
    answers: 'Of a room: what all agents answered, in order',
    toInput: ({ from, replyTo }) =>
      (from ?? replyTo) === undefined
        ? {}
        : {
            room: {
              ...(from !== undefined && { from }),
              ...(replyTo !== undefined && { replyTo }),
            },
          },
  },
  headingOf: (role, { room }) => (role === 'assistant' && room === true ? 'Room' : undefined),
})

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
  /** Somebody advances the room. */
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

declare module '../../core/protocol/facets.ts' {
  interface PromptTags {
    peers: true
    room_rules: true
    room_state: true
    room_task: true
    message: true
  }
  interface SessionFacets {
    agents?: string[]
    room?: RoomSettings
  }
  interface PatchFacets {
    agents?: string[]
    room?: RoomSettings | null
  }
  interface ChatFacets {
    from?: string
    replyTo?: string
  }
  interface InputFacets {
    /** In the turn of an agent in a room: its instructions besides the messages of the room. */
    seat?: SeatInput
    /** In a room: who speaks, or that the run has no message. */
    room?: RoomInput
  }
}

declare module '../../core/prompt/fragment.ts' {
  interface PromptFacets {
    /** Of an agent in a room: who it is, who else is there, what the rules are; where things stand, and its task. */
    seat?: SeatInput
  }
}
