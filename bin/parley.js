#!/usr/bin/env node
// In a published package this runs what was built. In the clone it first provides a Node that can, the packages and the
// build; all are silent when there is nothing to do.
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const source = new URL('../src/cli/main.ts', import.meta.url)
const compiled = new URL('../dist/cli/parley.js', import.meta.url)

if (existsSync(source)) await runFromClone()
else await runFromPackage()

async function runFromPackage() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return import(compiled.href)
  process.stderr.write(
    `Parley needs Node 24 or newer and this is Node ${process.versions.node}; install a newer one.\n`,
  )
  process.exitCode = 1
}

async function runFromClone() {
  const { attach, environment } = await import('../scripts/setup/command.js')
  const { runScript } = await import('../scripts/setup/failure.js')
  const { ensureNode } = await import('../scripts/setup/node.js')
  const { whenOrphaned } = await import('../scripts/setup/orphan.js')
  const { ensurePackages } = await import('../scripts/setup/packages.js')
  const { ensureProgram, program } = await import('../scripts/setup/program.js')
  await runScript(async () => {
    const node = await ensureNode()
    await ensurePackages(node)
    await ensureProgram(node)
    if (node !== process.execPath) {
      return attach(node, [program, ...process.argv.slice(2)], { cwd: process.cwd(), env: environment(node) })
    }
    // this process will do, and sets its own exit code
    whenOrphaned(() => process.kill(process.pid))
    process.argv[1] = program
    await import(pathToFileURL(program).href)
    return undefined
  })
}
