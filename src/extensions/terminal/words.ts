/** What commands bring into what crosses the wire. */
export const terminalWords = {
  // a shell is near to everything: it is there when somebody wants it
  groups: { terminal: false },
  /** Their patterns in rules are of commands, with a grammar of their own. */
  commandTools: ['terminal'],
} as const
