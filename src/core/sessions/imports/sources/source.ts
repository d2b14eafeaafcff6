import type { Fields } from '../../formats/foreign/fields.ts'
import type { Conversation } from '../conversation.ts'
import type { ImportNotes } from '../import-notes.ts'

/** A program whose exports can be imported. */
interface SourceNames {
  /** As it is reported and stored with what makes a session known again: never changes. */
  name: string
  /** As people call it, with what its file is. */
  label: string
}

/** Whose files hold conversations one after another. */
export interface ListSource extends SourceNames {
  kind: 'list'
  recognises(value: Fields): boolean
  /** Throws a `ParleyError` for what cannot be read. */
  read(value: Fields, notes: ImportNotes): Conversation | Conversation[]
}

/** Whose files are the log of one conversation, line by line. */
export interface LogSource extends SourceNames {
  kind: 'log'
  recognises(value: Fields): boolean
  read(rows: readonly LogRow[], notes: ImportNotes): Conversation | Conversation[]
}

export interface LogRow {
  line: number
  value: Fields
}

export type Source = ListSource | LogSource
