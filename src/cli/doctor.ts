import { Command } from 'commander'
import type { Finding } from './doctor-finding.ts'
import { loadCommandConfig } from './open-parley.ts'
import { formatTable, printAnswer, printJson } from '../core/command-line/output.ts'
import { withSettingFlags } from './setting-flags.ts'

export function doctorCommand(): Command {
  return withSettingFlags(new Command('doctor'), 'server')
    .description('check the installation: what works, what does not, and what to do; changes nothing')
    .action(async (_options, command: Command) => {
      const { examine } = await import('./doctor-checks.ts')
      const findings = await examine(() => loadCommandConfig(command))
      const ok = findings.every((finding) => finding.ok)
      if (command.optsWithGlobals<{ json?: boolean }>().json) printJson({ ok, findings })
      else printAnswer(formatTable(['', 'check', 'detail'], findings.flatMap(toRows)))
      if (!ok) process.exitCode = 1
    })
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
