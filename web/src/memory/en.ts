export const memoryTexts = {
  title: 'Memory',
  list: 'Memories',
  none: 'Nothing is remembered yet.',
  noneHint:
    'Add something here, or let Parley learn from your turns: set memory.model (or memory.learn: true) in the configuration. Models can also note things with the memory tool.',
  noneFound: 'Nothing like this is remembered.',
  noneDeleted: 'Nothing was deleted.',
  noneHere: 'Nothing was learned in this session yet.',
  noSession: 'Open a session to see what was learned in it.',
  here: 'Learned in this session, or about it',
  all: 'All memories',
  more: 'Show more',

  // filters
  filters: 'Filter memories',
  search: 'Search memories',
  clearSearch: 'Clear the search',
  searchDeleted: 'Deleted memories cannot be searched. Clear the search to list them.',
  searchSessions: 'Memories of sessions are searched one session at a time: open its Memory panel.',
  layer: 'Layer',
  type: 'Type',
  status: 'Status',
  anyLayer: 'All',
  anyType: 'All types',
  statuses: { active: 'Active', deleted: 'Deleted' },
  layers: { user: 'User', scope: 'Scope', session: 'Session' },
  types: {
    profile: 'Profile',
    narrative: 'Narrative',
    foresight: 'Plan',
    document: 'Document',
    event_log: 'Event',
  },
  ofSession: 'Of one session',
  anySession: 'Show those of all sessions',

  // what is known of one
  authors: { model: 'Noted by the model', user: 'Written by hand' },
  edited: 'edited',
  deleted: 'Deleted',
  fromMessage: 'Show the answer',
  fromSession: 'Show the session',
  fromDocument: 'from a document',
  evidence: 'Evidence',
  evidenceOf: { user: 'Words of the user', assistant: 'Words of the answer' },
  unused: 'not used yet',
  // being told to a turn and being said again both count
  uses: (count: number) => (count === 1 ? 'came up once' : `came up ${count} times`),
  lastUsed: 'last used',

  // deeds
  add: 'Add a memory',
  addText: 'What to remember',
  addTextHint: 'One thing, in a sentence that can be understood alone.',
  addLayer: 'About',
  addLayers: { user: 'The user', scope: 'This scope', session: 'This session' },
  save: 'Save',
  saving: 'Saving …',
  added: 'Remembered.',
  edit: 'Edit',
  editText: 'Text of the memory',
  saved: 'Saved.',
  delete: 'Delete',
  removed: 'Forgotten.',
  undo: 'Undo',
  restore: 'Restore',
  undoChange: 'Undo the last change',
  restored: 'Remembered again.',
  undone: 'The earlier wording is back.',
  failed: 'That did not work',

  // under an answer
  chipUsed: (count: number) => (count === 1 ? '1 memory used' : `${count} memories used`),
  chipMade: (count: number, alone: boolean) =>
    alone ? (count === 1 ? '1 memory made' : `${count} memories made`) : `${count} made`,
  ofAnswer: 'Memories of this answer',
  used: 'Used',
  made: 'Made',
  forget: 'Forget',
  gone: (count: number) =>
    count === 1
      ? 'One that was used is not there any more.'
      : `${count} that were used are not there any more.`,
}
