/** What of a file has no equal here, by kind, with what a person reads. */
const texts = {
  hidden_messages: 'messages that the other program does not show either',
  empty_messages: 'messages without any content',
  kept_as_data: 'pieces of kinds that only the other program understands, kept as data',
  images_missing: 'images that the file refers to and does not contain',
  files_missing: 'attached files that the file refers to and does not contain',
  files_too_large:
    'images and files that are larger than imports.assetBytes, or too many for imports.conversationBytes',
  branches_left_out: 'branches beyond imports.branches or imports.messages',
  parents_missing: 'messages whose preceding message is missing; each begins a branch',
  cycles: 'circles of messages that precede each other; each was opened',
  duplicate_ids: 'messages with an id that another one of the conversation has',
  times_missing: 'messages without a time, which have that of the message before',
  characters_removed: 'messages with characters that cannot be stored, which were removed',
  instructions_left_out: 'instructions of conversations that are too long here',
  side_chains: 'messages of sub-agents',
  other_lines: 'lines of a log that are no messages',
  broken_lines: 'lines that are not valid JSON',
  other_files: 'files of the archive that hold no conversations',
  continued_here: 'conversations that were continued both here and there, left as they are here',
} as const

export type NoteKind = keyof typeof texts

export interface ImportNote {
  kind: NoteKind
  count: number
  text: string
}

export interface ImportNotes {
  add(kind: NoteKind, count?: number): void
  list(): ImportNote[]
}

export function createNotes(): ImportNotes {
  const counts = new Map<NoteKind, number>()
  return {
    add(kind, count = 1) {
      if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count)
    },
    list: () => [...counts].map(([kind, count]) => toNote(kind, count)),
  }
}

export const toNote = (kind: NoteKind, count: number): ImportNote => ({ kind, count, text: texts[kind] })
