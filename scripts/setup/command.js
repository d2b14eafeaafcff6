import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { whenOrphaned } from './orphan.js'
import { root } from './root.js'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
// long enough for npm to repeat a signal, shorter than a person who presses Ctrl-C again
const echoMs = 300

/** Runs a command and keeps its output. When we are told to stop, it is stopped first: no orphan goes on installing. */
export function capture(file, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let stoppedBy
    const stop = (signal) => {
      stoppedBy = signal
      child.kill(signal)
    }
    const finish = (code) => {
      for (const signal of signals) process.off(signal, stop)
      if (stoppedBy) process.exit(128 + constants.signals[stoppedBy])
      resolve({ code, output })
    }
    for (const signal of signals) process.on(signal, stop)
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.once('error', (error) => {
      output += error.message
      finish(1)
    })
    child.once('close', finish)
  })
}

/**
 * Runs a command in the user's terminal, passes signals on and answers with its exit code (128 + n after a signal).
 * A message the command sends over IPC goes to `onMessage`.
 */
export function attach(file, args, { onMessage, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = options.stdio ?? ['inherit', 'inherit', 'inherit']
    const child = spawn(file, args, { cwd: root, ...options, stdio: onMessage ? [...stdio, 'ipc'] : stdio })
    let forwardedAt = -Infinity
    const forward = (signal) => {
      // a terminal gives these to the whole foreground group: forwarding would make one Ctrl-C look like two
      const isShared = process.stdin.isTTY && signal !== 'SIGTERM'
      // npm repeats to us what we may have got already
      const isEcho = performance.now() - forwardedAt < echoMs
      if (isShared || isEcho) return
      forwardedAt = performance.now()
      child.kill(signal)
    }
    for (const signal of signals) process.on(signal, forward)
    const stopLooking = whenOrphaned(() => child.kill())
    if (onMessage) child.on('message', onMessage)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      for (const name of signals) process.off(name, forward)
      stopLooking()
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
}

/** Our environment with `node` first on PATH, so that npm and everything it starts run on that Node too. */
export function environment(node) {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH'
  return { ...process.env, [name]: `${dirname(node)}${delimiter}${process.env[name] ?? ''}` }
}

/** npm run by `node`: the npm that started us if one did, otherwise the one on PATH. */
export function npm(node, args, options = {}) {
  const cli = process.env.npm_execpath ?? ''
  const env = environment(node)
  if (basename(cli) === 'npm-cli.js') return capture(node, [cli, ...args], { env, ...options })
  return capture('npm', args, { env, ...options, shell: process.platform === 'win32' })
}

/** The reason in npm's output: its first line that is not a detail. */
export function npmReason(output) {
  const lines = output.split('\n').filter((line) => /^npm (error|ERR!)/.test(line))
  const reason = (lines.length > 0 ? lines : output.trim().split('\n').slice(-3))
    .map((line) => line.replace(/^npm (error|ERR!)/, '').trim())
    .find((line) => line && !/^(code|errno|syscall|path) /.test(line))
  return reason ?? 'npm gave no reason'
}

/** The script behind a package's command, to be run by a Node of our choice. */
export function packageCommand(name, command = name) {
  const home = join(root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  return join(home, typeof bin === 'string' ? bin : bin[command])
}
