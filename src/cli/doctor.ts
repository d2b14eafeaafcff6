import { Command } from 'commander'
import type { LoadedConfig } from '../config.ts'
import { ParleyError } from '../core/protocol/error.ts'
import { checkDataDir, checkNode, checkSandbox, checkWorkbench } from './doctor-machine.ts'
import { checkModels } from './doctor-models.ts'
import { checkKey, checkPort, findServer } from './doctor-server.ts'
import { checkStore } from './doctor-store.ts'
import { findingOf, type Finding } from './finding.ts'
import { loadCommandConfig } from './open.ts'
import { formatTable, printAnswer, printJson } from '../core/command-line/output.ts'
import { withSettingFlags } from './setting-flags.ts'

export function doctorCommand(): Command {
  return withSettingFlags(new Command('doctor'), 'server')
    .description('check the installation: what works, what does not, and what to do; changes nothing')
    .action(async (_options, command: Command) => {
      const findings = await examine(() => loadCommandConfig(command))
      const ok = findings.every((finding) => finding.ok)
      if (command.optsWithGlobals<{ json?: boolean }>().json) printJson({ ok, findings })
      else printAnswer(formatTable(['', 'check', 'detail'], findings.flatMap(toRows)))
      if (!ok) process.exitCode = 1
    })
}

async function examine(load: () => LoadedConfig): Promise<Finding[]> {
  const node = checkNode(process.versions)
  let loaded: LoadedConfig
  try {
    loaded = load()
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    // nothing else can be checked without it
    return [
      node,
      {
        check: 'configuration',
        ok: false,
        detail: error.message,
        next: 'correct it; docs/configuration.md has every setting, and "parley config" shows where each value comes from',
      },
    ]
  }
  const { config } = loaded
  const files = loaded.files.map(({ path }) => path).join(', ') || 'defaults only'
  const server = await findServer(config)
  return [
    node,
    { check: 'configuration', ok: true, detail: files },
    await findingOf('data folder', () => checkDataDir(config.dataDir)),
    ...(await checkStore(config)),
    await findingOf('port', () => checkPort(config, server)),
    ...(server ? [await findingOf('key', () => checkKey(config, server))] : []),
    ...(await checkModels(config)),
    checkSandbox(loaded),
    checkWorkbench(),
  ]
}

/** One line per finding, and what follows below it. */
function toRows({ check, ok, detail, next }: Finding): string[][] {
  const [first = '', ...more] = detail.split('\n')
  return [
    [ok ? (next === undefined ? 'ok' : 'warn') : 'FAIL', check, first],
    ...more.map((line) => ['', '', line]),
    ...(next === undefined ? [] : [['', '', `→ ${next}`]]),
  ]
}
