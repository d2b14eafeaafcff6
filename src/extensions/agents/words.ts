/** What agents bring into what crosses the wire. */
export const agentWords = { folderFiles: 'agents' } as const
