import { existsSync } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { Command } from 'commander'
import type { Config } from '../config.ts'
import { createParley } from '../parley.ts'
import { inPackage } from '../shared/package-folder.ts'
import { loadCommandConfig, toParleyOptions } from './open.ts'
import { formatTable, printAnswer, printJson } from './output.ts'

interface Finding {
  check: string
  ok: boolean
  detail: string
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the installation: what works, what does not, and what to do')
    .action(async (_options, command: Command) => {
      const loaded = loadCommandConfig(command)
      const { config } = loaded
      const findings: Finding[] = [
        checkNode(),
        {
          check: 'configuration',
          ok: true,
          detail: loaded.files.map(({ path }) => path).join(', ') || 'defaults only',
        },
        await attempt('data folder', () => checkDataDir(config)),
        await attempt('store', () => checkStore(command)),
        await attempt('port', () => checkPort(config)),
        checkWorkbench(),
      ]
      if (command.optsWithGlobals<{ json?: boolean }>().json)
        printJson({ ok: findings.every(({ ok }) => ok), findings })
      else
        printAnswer(
          formatTable(
            ['', 'check', 'detail'],
            findings.map(({ ok, check, detail }) => [ok ? 'ok' : 'FAIL', check, detail]),
          ),
        )
      if (findings.some(({ ok }) => !ok)) process.exitCode = 1
    })
}

async function attempt(check: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await work() }
  } catch (error) {
    return { check, ok: false, detail: (error as Error).message }
  }
}

function checkNode(): Finding {
  const ok = Number(process.versions.node.split('.')[0]) >= 24
  return { check: 'node', ok, detail: `${process.versions.node}, SQLite ${process.versions.sqlite}` }
}

async function checkDataDir({ dataDir }: Config): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = await statfs(dataDir)
  const freeMiB = Math.floor((bavail * bsize) / 1024 ** 2)
  if (freeMiB < 100) throw new Error(`${dataDir}: only ${freeMiB} MiB are free; make room`)
  return `${dataDir}, ${freeMiB} MiB free`
}

async function checkStore(command: Command): Promise<string> {
  await using parley = await createParley(toParleyOptions(loadCommandConfig(command)))
  const problem = await parley.store.checkIntegrity()
  if (problem) throw new Error(`the database is damaged (${problem}); restore a backup`)
  return parley.store.backend
}

async function checkPort({ host, port }: Config): Promise<string> {
  const answer = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`).catch(
    () => undefined,
  )
  const body = (await answer?.json().catch(() => undefined)) as
    { status?: string; version?: string } | undefined
  if (body?.status === 'ok') return `a Parley ${body.version} answers on ${host}:${port}`
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
      .once('error', reject)
      .listen(port, host, () => probe.close(() => resolve()))
  })
  return `${host}:${port} is free`
}

function checkWorkbench(): Finding {
  const ok = existsSync(inPackage('web', 'dist', 'index.html'))
  return { check: 'workbench', ok, detail: ok ? 'built' : 'not built; "npm start" builds it' }
}
