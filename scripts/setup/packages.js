import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { npm, npmReason } from './command.js'
import { progress, SetupFailure } from './failure.js'
import { withSetupLock } from './lock.js'
import { root } from './root.js'

const wanted = join(root, 'package-lock.json')
// npm writes this file last, so an interrupted installation does not have it
const installed = join(root, 'node_modules', '.package-lock.json')

/** Brings `node_modules` to what package-lock.json says; does nothing when it is not older. */
export async function ensurePackages(node) {
  if (isInstalled()) return
  await withSetupLock(async () => {
    if (!isInstalled()) await install(node)
  })
}

function isInstalled() {
  const at = statSync(installed, { throwIfNoEntry: false })?.mtimeMs
  return at !== undefined && at >= statSync(wanted).mtimeMs
}

async function install(node) {
  progress('Installing packages (npm ci) …')
  // dev packages also where NODE_ENV is production: the workbench is built with them
  const { code, output } = await npm(node, ['ci', '--include=dev', '--no-audit', '--no-fund'])
  if (code !== 0) {
    throw new SetupFailure(
      `Cannot install the packages (${npmReason(output)}); check that the npm registry can be reached and run "npm ci".`,
    )
  }
  const now = new Date()
  utimesSync(installed, now, now)
}
