export const memoryTexts = {
  title: 'Memory',
  list: 'Memories',
  none: 'No memories yet.',
  noneHint:
    'Add one here, or let Parley learn from your conversations: set memory.model (or memory.learn: true) in the configuration. Models can also save memories with the memory tool.',
  noneFound: 'No matching memories.',
  noneDeleted: 'No deleted memories.',
  noneHere: 'Nothing learned in this session yet.',
  noSession: 'Open a session to see what was learned in it.',
  here: 'Learned in this session, or about it',
  all: 'All memories',
  more: 'Show more',

  // filters
  filters: 'Filter memories',
  search: 'Search memories',
  clearSearch: 'Clear search',
  searchDeleted: 'Deleted memories can’t be searched. Clear the search to list them.',
  searchSessions: 'Session memories are searched one session at a time: open the session’s Memory panel.',
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
  ofSession: 'One session',
  anySession: 'Show all sessions',

  // what is known of one
  authors: { model: 'Saved by the model', user: 'Written by hand' },
  edited: 'edited',
  deleted: 'Deleted',
  fromMessage: 'Show the answer',
  fromSession: 'Show the session',
  fromDocument: 'from a document',
  evidence: 'Evidence',
  evidenceOf: { user: 'Quoted from the user', assistant: 'Quoted from the answer' },
  unused: 'not used yet',
  // being told to a turn and being said again both count
  uses: (count: number) => (count === 1 ? 'used once' : `used ${count} times`),
  lastUsed: 'last used',

  // deeds
  add: 'Add memory',
  addText: 'What to remember',
  addTextHint: 'One fact, in a sentence that makes sense on its own.',
  addLayer: 'About',
  addLayers: { user: 'The user', scope: 'This scope', session: 'This session' },
  save: 'Save',
  saving: 'Saving…',
  added: 'Memory added.',
  edit: 'Edit',
  editText: 'Memory text',
  saved: 'Saved.',
  delete: 'Delete',
  removed: 'Memory deleted.',
  undo: 'Undo',
  restore: 'Restore',
  undoChange: 'Undo last change',
  restored: 'Memory restored.',
  undone: 'Change undone.',
  failed: 'Something went wrong',

  // under an answer
  chipUsed: (count: number) => (count === 1 ? '1 memory used' : `${count} memories used`),
  chipMade: (count: number, alone: boolean) =>
    alone ? (count === 1 ? '1 memory created' : `${count} memories created`) : `${count} created`,
  ofAnswer: 'Memories of this answer',
  used: 'Used',
  made: 'Created',
  forget: 'Forget',
  gone: (count: number) =>
    count === 1
      ? 'One memory that was used no longer exists.'
      : `${count} memories that were used no longer exist.`,
}
