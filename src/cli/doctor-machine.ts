import { constants, existsSync } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { LoadedConfig } from '../config.ts'
import { inPackage } from '../core/shared/package-folder.ts'
import { createSandbox } from '../core/processes/sandbox/sandbox.ts'
import { Trouble, type Finding } from './doctor-finding.ts'

// SQLite needs space for its log next to the database
const leastMiB = 100
const fewMiB = 1_024

export function checkNode({ node, sqlite }: NodeJS.ProcessVersions): Finding {
  const ok = Number(node.split('.')[0]) >= 24
  return {
    check: 'node',
    ok,
    detail: `${node}, SQLite ${sqlite}`,
    ...(!ok && {
      next: 'install Node 24 or newer (https://nodejs.org); "npm start" in a clone brings its own',
    }),
  }
}

/** Whether it can be written or created; checking creates nothing. */
export async function checkDataDir(dataDir: string): Promise<string | Pick<Finding, 'detail' | 'next'>> {
  const elsewhere = 'or choose another folder with PARLEY_DATA_DIR or --data-dir'
  const place = await nearest(dataDir)
  const { mode, isFolder } = await stat(place).then(
    (found) => ({ mode: found.mode, isFolder: found.isDirectory() }),
    (error: NodeJS.ErrnoException) => {
      throw new Trouble(`${place} cannot be read (${error.code})`, `see to its owner and mode, ${elsewhere}`)
    },
  )
  if (!isFolder) throw new Trouble(`${place} is not a folder`, `move it out of the way, ${elsewhere}`)
  await access(place, constants.R_OK | constants.W_OK | constants.X_OK).catch((error) => {
    const { username } = userInfo()
    throw new Trouble(
      `${place} cannot be written by ${username} (${error.code})`,
      `chown ${username} ${place}, ${elsewhere}`,
    )
  })
  const { bavail, bsize } = await statfs(place)
  const freeMiB = Math.floor((bavail * bsize) / 1024 ** 2)
  if (freeMiB < leastMiB)
    throw new Trouble(
      `${dataDir}: only ${freeMiB} MiB are free`,
      `make room for ${leastMiB} MiB, ${elsewhere}`,
    )
  const detail = `${dataDir}${place === dataDir ? '' : ' (to be made)'}, ${freeMiB} MiB free`
  if (place === dataDir && (mode & 0o077) !== 0 && process.platform !== 'win32')
    return { detail: `${detail}; others on this machine can look into it`, next: `chmod 700 ${dataDir}` }
  return freeMiB < fewMiB ? { detail, next: 'make room soon: writes are refused when it is full' } : detail
}

/** The folder, or what of its path is there. */
async function nearest(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  )
  return isThere || dirname(path) === path ? path : nearest(dirname(path))
}

/** Whether commands are sandboxed. Nothing fails without it, but each command needs approval. */
export function checkSandbox({
  config: { terminal },
  userDir,
  environment,
}: Pick<LoadedConfig, 'config' | 'userDir' | 'environment'>): Finding {
  const state = createSandbox(terminal, { hidden: [userDir], environment }).state()
  const found = (detail: string, next?: string) => ({
    check: 'sandbox',
    ok: true,
    detail,
    ...(next && { next }),
  })
  if (state.kind === 'off')
    return found(
      'off: commands do what the user of Parley may do',
      'remove terminal.sandbox (PARLEY_TERMINAL_SANDBOX) unless Parley has a container or a user of its own',
    )
  if (state.kind === 'missing')
    return found(`none (${state.reason}): each command needs approval`, state.next)
  const reach = terminal.network === 'on' ? 'network on' : terminal.hosts.join(', ') || 'no network'
  if (state.kind === 'seatbelt' && terminal.network === 'off' && terminal.hosts.length > 0)
    return found(
      'active (Seatbelt), no network',
      'terminal.hosts has no effect on macOS: set terminal.network, or remove it',
    )
  return found(
    `active (${state.kind === 'bubblewrap' ? `bubblewrap, ${state.detail}` : 'Seatbelt'}), ${reach}`,
  )
}

export function checkWorkbench(folder = inPackage('web', 'dist')): Finding {
  const ok = existsSync(join(folder, 'index.html'))
  return {
    check: 'workbench',
    ok,
    detail: ok ? 'built' : `not built: ${folder} has no index.html; the API works without it`,
    ...(!ok && { next: 'in a clone, "npm start" builds it; otherwise install the package again' }),
  }
}
