import { spawnSync } from 'node:child_process'

/** Provides a program that a test works with: found on the machine, or installed where that is possible. */
export function requireProgram(name: string): string {
  const find = () => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()
  const found = find()
  if (found) return found
  // others may be installing at the same moment; the lists have no lock that could be waited for
  for (let tries = 0; tries < 10 && process.getuid?.() === 0 && !find(); tries++) {
    if (tries > 0) spawnSync('sleep', ['5'])
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '-qq', '-o', 'DPkg::Lock::Timeout=300', name], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  }
  const installed = find()
  if (!installed)
    throw new Error(
      `This test needs the program "${name}" and could not install it; install it and run again.`,
    )
  return installed
}
