import { homedir } from 'node:os'

// what programs need to find files and each other, and how the user reads; no key of anybody is among them
const needed = new Set(
  (
    'PATH HOME LANG LANGUAGE TZ USER LOGNAME SHELL TMPDIR ' +
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA'
  ).split(' '),
)

/** What commands get to see of Parley's own environment: what every program needs, and what the operator named. */
export function commandEnvironment(
  environment: Readonly<Record<string, string | undefined>> = defaults(),
  named: readonly string[] = [],
): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    const isNeeded = needed.has(name.toUpperCase()) || /^LC_[A-Z]+$/.test(name)
    if (value !== undefined && (isNeeded || named.includes(name))) picked[name] = value
  }
  // there is no screen: programs must not draw on one, nor wait for keys
  return { ...picked, TERM: 'dumb' }
}

const defaults = () => ({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: homedir(), LANG: 'C.UTF-8' })
