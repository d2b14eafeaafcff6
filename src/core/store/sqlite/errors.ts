import { ParleyError } from '../../protocol/error.ts'

const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notDatabase: 26,
}
const unavailable = new Map<number | undefined, string>([
  [codes.busy, 'Another process kept the database locked for longer than the busy timeout.'],
  [codes.locked, 'The database is locked.'],
  [codes.readOnly, 'The database file cannot be written.'],
  [codes.ioError, 'The disk reported an error; nothing of this request was stored.'],
  [codes.corrupt, 'The database file is damaged. Restore a backup, or run "parley doctor".'],
  [codes.cannotOpen, 'The database file cannot be opened.'],
  [codes.notDatabase, 'The database file is not a SQLite database.'],
])

/** SQLite's result code without its extended part; undefined for errors of another origin. */
export function primaryCode(error: unknown): number | undefined {
  const code = extendedCode(error)
  return code === undefined ? undefined : code & 0xff
}

export function toRefusal(error: unknown): ParleyError | undefined {
  const code = primaryCode(error)
  if (code === codes.full)
    return new ParleyError('storage_full', 'The disk is full; nothing of this request was stored.', {
      cause: error,
    })
  const message = unavailable.get(code)
  return message === undefined ? undefined : new ParleyError('store_unavailable', message, { cause: error })
}

// of a constraint: the foreign key
export const isForeignKeyViolation = (error: unknown): boolean => extendedCode(error) === 787

export function isUniqueViolation(error: unknown): boolean {
  const code = extendedCode(error)
  return code === 2067 || code === 1555 // SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY
}

function extendedCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined
}
