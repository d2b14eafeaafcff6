/**
 * Which test commands of a workflow may be run. They are run without a shell, so nothing here keeps a shell from doing
 * harm: what a shell would read as more than words is refused because programs such as npm hand their arguments to one.
 * The list says which programs are started; what a test that they run may do is up to who may write files there.
 */
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { defaultRoomLimits } from './room-service.ts'
import type { CommandOutcome } from './modes/mode.ts'

export type BlockReason = NonNullable<CommandOutcome['reason']>

export type CommandCheck = { ok: true; file: string; args: string[] } | { ok: false; reason: BlockReason }

/** `allowed` are the words that a command may begin with. */
export function checkCommand(command: string, allowed: readonly string[]): CommandCheck {
  const words = toWords(command)
  if (words === undefined) return { ok: false, reason: 'command_injection_characters' }
  const [file, ...args] = words
  if (file === undefined) return { ok: false, reason: 'allowlist_mismatch' }
  if (isMalicious(file, args)) return { ok: false, reason: 'malicious_command' }
  const isAllowed = allowed.some((entry) => beginsWith(words, toWords(entry)))
  return isAllowed ? { ok: true, file, args } : { ok: false, reason: 'allowlist_mismatch' }
}

/** The list to go by; none is the default. Throws for an entry that no command could ever begin with. */
export function requireTestCommands(entries: readonly string[]): readonly string[] {
  for (const entry of entries) {
    const check = checkCommand(entry, [entry])
    if (check.ok) continue
    throw invalidRequest(
      `rooms.testCommands: ${quote(entry)} cannot be allowed (${check.reason}). ` +
        'An entry is a program and the first of its arguments, such as "npm test", without anything that a shell would read.',
    )
  }
  return entries.length === 0 ? defaultRoomLimits.testCommands : entries
}

// quoted or not, since the program may pass its arguments to a shell that parses them again
// oxlint-disable-next-line no-control-regex
const readByShells = /[;&|<>$`(){}[\]*?~!#\\\u0000-\u0008\u000a-\u001f\u007f]/

/** The words of a command, with simple quotes taken off; undefined when it is more than words. */
function toWords(command: string): string[] | undefined {
  if (readByShells.test(command)) return undefined
  const words: string[] = []
  let word: string | undefined
  let quoted: string | undefined
  for (const character of command) {
    if (quoted !== undefined) {
      if (character === quoted) quoted = undefined
      else word += character
    } else if (character === '"' || character === "'") {
      quoted = character
      word ??= ''
    } else if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quoted !== undefined) return undefined
  return word === undefined ? words : [...words, word]
}

/** By words: `npm testify` is no `npm test`. */
const beginsWith = (words: readonly string[], start: readonly string[] = []) =>
  start.length > 0 && start.every((word, index) => words[index] === word)

const harmful = new Set(
  (
    'rm rmdir del erase shred dd fdisk parted format mount umount chmod chown chgrp chroot ' +
    'sudo su doas pkexec runas shutdown reboot halt poweroff init systemctl service kill killall pkill taskkill ' +
    'curl wget nc ncat netcat socat telnet ssh scp sftp ftp rsync eval exec source xargs nohup setsid crontab at iptables'
  ).split(' '),
)

// what runs code that is given with the command, is loaded before the tests, or comes over the network
const codeOptions =
  'eval print require import preload loader experimental-loader env-file-if-exists command exec inspect-brk inspect-port inspect-wait'.split(
    ' ',
  )
const interpreters = new Set(
  'node nodejs deno bun tsx ts-node python python3 perl ruby php sh bash dash zsh ksh fish pwsh powershell cmd'.split(
    ' ',
  ),
)
const writesElsewhere = /^--test[-_]reporter[-_]d/
// what makes it another project, another shell or another program
const elsewhereOptions = 'prefix cwd dir script-shell shell node-options userconfig globalconfig'.split(' ')
const packageManagers = new Set(['npm', 'pnpm', 'yarn', 'npx', 'bun'])

function isMalicious(file: string, args: readonly string[]): boolean {
  const program = programOf(file)
  if (harmful.has(program) || program.startsWith('mkfs')) return true
  if (interpreters.has(program) && args.some((arg) => isOption(arg, codeOptions, 'cepr'))) return true
  if (args.some((arg) => writesElsewhere.test(arg))) return true
  // what follows is for the script
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return packageManagers.has(program) && own.some((arg) => isOption(arg, elsewhereOptions, 'c'))
}

const programOf = (file: string) =>
  file
    .slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf(':')) + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com)$/, '')

/** Long ones may be shortened or written with `__`; short ones may be put together. */
function isOption(arg: string, long: readonly string[], short: string): boolean {
  if (/^-[A-Za-z]/.test(arg)) return [...short].some((letter) => arg.toLowerCase().includes(letter))
  const name = /^--([A-Za-z][\w-]*)/.exec(arg)?.[1]?.replaceAll('_', '-')
  return name !== undefined && long.some((option) => option.startsWith(name))
}
