export interface SandboxLimits {
  /** Bytes of memory that one process of a command may fill with data. */
  maxMemoryBytes: number
  /** Processes of one command, or of one shell, at a time. */
  maxProcesses: number
  /** Bytes in the private /tmp of a command, and as many in its empty home folder. */
  maxTemporaryBytes: number
  /** Entries of folders that are inspected, before and after a command. */
  maxLookedEntries: number
  /** Repositories below the top of a workspace that are guarded, and as many places that rules close. */
  maxGuarded: number
}

export const defaultSandboxLimits: SandboxLimits = {
  maxMemoryBytes: 4 * 1_024 ** 3,
  maxProcesses: 512,
  maxTemporaryBytes: 1_024 ** 3,
  maxLookedEntries: 20_000,
  maxGuarded: 100,
}

/**
 * A script that sets the limits and then becomes the command. Data counts rather than address space, of which Node, Go
 * and Java reserve far more than they use. Shells disagree about the letter for processes; a limit that cannot be set is
 * one that is stricter already.
 */
export const limitScript = ({ maxMemoryBytes, maxProcesses }: SandboxLimits): string =>
  `ulimit -c 0 2>/dev/null; ulimit -d ${Math.ceil(maxMemoryBytes / 1_024)} 2>/dev/null; ` +
  `{ ulimit -u ${maxProcesses} || ulimit -p ${maxProcesses}; } 2>/dev/null; exec "$@"`
