import { spawnSync } from 'node:child_process'
import type { Confined, Launch, SandboxState } from './launch.ts'

// a program that does nothing takes some milliseconds; longer than this it would take for each command
const probeMs = 5_000

/**
 * Whether a program really starts in the sandbox: many systems have the program that makes one, and do not let ordinary
 * users make the namespaces that it needs.
 */
export function probe(
  kind: 'bubblewrap' | 'seatbelt',
  file: string,
  missingOptions: (file: string) => string[],
  launch: (confined: Confined) => Launch,
): SandboxState {
  const missing = missingOptions(file)
  if (missing.length > 0)
    return {
      kind: 'missing',
      reason: `${file} does not have ${missing.join(', ')}`,
      next: 'install bubblewrap 0.10 or newer, or the one with the security updates of your distribution, and restart Parley',
    }
  const {
    file: program,
    options,
    args,
    env,
    cwd,
    descriptors,
    release,
    end,
  } = launch({
    command: ['/bin/sh', '-c', 'echo confined'],
    cwd: '/',
    env: {},
    workspaces: { granted: [] },
  })
  const { stdout, stderr, error } = spawnSync(program, options ? [...options, '--', ...args] : args, {
    encoding: 'utf8',
    timeout: probeMs,
    env,
    cwd,
    // the options are no secret here, and stand on the command line
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', ...descriptors],
  })
  release()
  end?.()
  if (stdout === 'confined\n') return { kind, detail: file }
  const fault = error?.message ?? stderr.trim().split('\n').at(-1) ?? 'it printed something else'
  return {
    kind: 'missing',
    reason: `${file} does not work here: ${fault}`,
    next:
      kind === 'bubblewrap'
        ? 'let Parley make user namespaces (docs/tools-terminal.md, "Where it works"), or give it a machine that does'
        : 'see whether "sandbox-exec" still works on this system',
  }
}
