/** How a run of a workflow or a plan stands, as the command that looks at it ends. */
export const runExitCodes = {
  completed: 0,
  pending: 0,
  running: 0,
  failed: 1,
  interrupted: 1,
  paused: 6,
  timeout: 7,
  cancelled: 130,
} as const
