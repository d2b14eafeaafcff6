import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture, npm, npmReason } from './command.js'
import { progress, SetupFailure } from './failure.js'
import { withSetupLock } from './lock.js'
import { root } from './root.js'

const minimumMajor = 24
const version = '24.21.0'
const advice = `install Node ${minimumMajor} or newer yourself and try again.`

/** The path of a Node that can run Parley: the current one if it is new enough, otherwise one kept in `.node/`. */
export async function ensureNode() {
  if (isCurrentNodeEnough()) return process.execPath
  // the platform is in the name because a clone may be mounted into a container of another kind
  const home = join(root, '.node', `${version}-${process.platform}-${process.arch}`)
  if (!existsSync(binaryIn(home))) {
    await withSetupLock(async () => {
      if (!existsSync(binaryIn(home))) await install(home)
    })
  }
  return binaryIn(home)
}

export function isCurrentNodeEnough() {
  return Number.parseInt(process.versions.node, 10) >= minimumMajor
}

function binaryIn(home) {
  return join(home, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** Installs beside `home` and renames when the binary has run: `home` is complete or it does not exist. */
async function install(home) {
  progress(`Fetching Node ${version} (this is Node ${process.versions.node}, Parley needs ${minimumMajor}) …`)
  removeLeftovers()
  const draft = `${home}.draft`
  try {
    mkdirSync(draft, { recursive: true })
    // a package.json of its own keeps npm from climbing up to ours; the package gets its binary by install script
    writeFileSync(
      join(draft, 'package.json'),
      JSON.stringify({ private: true, allowScripts: { node: true } }),
    )
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts=false', '--prefix', draft]
    const { code, output } = await npm(process.execPath, ['install', ...options, `node@${version}`], {
      cwd: draft,
    })
    if (code !== 0) {
      throw new SetupFailure(
        `Cannot fetch Node ${version} from the npm registry (${npmReason(output)}); ${advice}`,
      )
    }
    await requireWorking(binaryIn(draft))
    rmSync(home, { recursive: true, force: true })
    renameSync(draft, home)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function requireWorking(binary) {
  const { code, output } = await capture(binary, ['--version'])
  if (code === 0 && output.trim() === `v${version}`) return
  const reason = output.trim().split('\n').at(-1)
  throw new SetupFailure(
    `Node ${version} was fetched but does not run on this machine (${reason}); ${advice}`,
  )
}

/** What interrupted installations left; only called under the lock. */
function removeLeftovers() {
  const folder = join(root, '.node')
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.draft')) rmSync(join(folder, name), { recursive: true, force: true })
  }
}
