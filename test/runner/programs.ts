/**
 * Programs that tests work with and that no package of npm has: found on the machine, or installed from Debian's packages.
 * As root that is an installation like any other. Everybody else gets them unpacked into `node_modules/.cache`, with the
 * libraries they need: nothing on the machine is changed, and no password asked for.
 */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'programs')

/** Where the package of the same name, or another one, has it when the command itself is a script or a library. */
const places: Record<string, { package?: string; file: string }> = {
  bwrap: { package: 'bubblewrap', file: 'usr/bin/bwrap' },
  chromium: { file: 'usr/lib/chromium/chromium' },
  'chromium-headless-shell': { file: 'usr/lib/chromium/chromium-headless-shell' },
  'libfaketime.so.1': { package: 'libfaketime', file: 'usr/lib/*/faketime/libfaketime.so.1' },
  script: { package: 'bsdutils', file: 'usr/bin/script' },
  unshare: { package: 'util-linux', file: 'usr/bin/unshare' },
}

let installing: Promise<unknown> = Promise.resolve()
let updating: Promise<unknown> | undefined

/** The path of a program, or of a library when the name ends in `.so.1`. */
export async function provideProgram(name: string): Promise<string> {
  const found = find(name)
  if (found) return found
  // one at a time: the package manager has locks
  const installed = installing.then(() => find(name) ?? install(name))
  installing = installed.catch(() => undefined)
  return installed
}

function find(name: string): string | undefined {
  const { file } = placeOf(name)
  if (name.includes('.so')) return globSync(`/${file}`)[0] ?? globSync(join(folder, name, file))[0]
  const unpacked = join(folder, name, 'start')
  return (
    spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim() ||
    (existsSync(unpacked) ? unpacked : undefined)
  )
}

const placeOf = (name: string) => ({ package: name, file: `usr/bin/${name}`, ...places[name] })

async function install(name: string): Promise<string> {
  const reason = await (process.getuid?.() === 0 ? installForAll(name) : unpack(name)).then(
    () => 'its package does not have it',
    (error: Error & { stderr?: string }) => error.stderr?.trim().split('\n').at(-1) || error.message,
  )
  const installed = find(name)
  if (installed) return installed
  throw new Error(
    `A test needs "${name}", which could not be installed (${reason}); install it and run again.`,
  )
}

async function installForAll(name: string): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await (updating ??= run('apt-get', ['update', '-qq'], { env }))
  const options = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300']
  await run('apt-get', ['install', ...options, placeOf(name).package], { env, maxBuffer: 64 * 1_024 * 1_024 })
}

/** With lists and archives of our own, so that neither rights nor locks of the machine are needed. */
async function unpack(name: string): Promise<void> {
  const home = join(folder, 'apt')
  for (const path of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(home, path), { recursive: true })
  const settings = {
    'Dir::State': join(home, 'state'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(home, 'cache'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
  }
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`])
  const limits = { maxBuffer: 64 * 1_024 * 1_024 }
  await (updating ??= run('apt-get', [...options, 'update', '-qq'], limits))
  const archives = join(home, 'cache', 'archives')
  for (const file of globSync(join(archives, '*.deb'))) rmSync(file)
  const wanted = ['install', '-y', '-qq', '--no-install-recommends', '--download-only', placeOf(name).package]
  await run('apt-get', [...options, ...wanted], limits)
  const draft = join(folder, `${name}.draft`)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft)
  for (const file of globSync(join(archives, '*.deb'))) await run('dpkg-deb', ['-x', file, draft])
  if (globSync(join(draft, placeOf(name).file)).length === 0)
    throw new Error('the machine counts its package as installed, and does not have it')
  const target = join(folder, name)
  if (!name.includes('.so')) writeStarter(draft, target, placeOf(name).file)
  rmSync(target, { recursive: true, force: true })
  renameSync(draft, target)
}

/** A script that starts the program where it was unpacked, with the libraries that came with it. */
function writeStarter(draft: string, target: string, file: string): void {
  const libraries = globSync(join(draft, '{usr/,}lib/*-linux-gnu*'), { withFileTypes: false })
    .flatMap((path) => [path, ...globSync(join(path, '{pulseaudio,nss,blas,lapack}'))])
    .map((path) => path.replace(draft, target))
    .join(':')
  const starter = join(draft, 'start')
  writeFileSync(
    starter,
    `#!/bin/sh\n` +
      `export LD_LIBRARY_PATH="${libraries}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"\n` +
      `[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="${join(target, 'etc', 'fonts')}"\n` +
      `exec "${join(target, file)}" "$@"\n`,
  )
  chmodSync(starter, 0o755)
}
