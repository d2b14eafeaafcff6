import { execFileSync, spawnSync, type ExecFileSyncOptions } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { toScript } from '../src/cli/completion.ts'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'

type Shell = 'bash' | 'zsh' | 'fish'

const run = (shell: Shell, args: string[], options: ExecFileSyncOptions = {}) =>
  execFileSync(shell, args, { ...options, encoding: 'utf8' })

/** What each shell itself makes of a line with the cursor at its end. */
const complete: Record<Shell, (script: string, line: string) => string[]> = {
  bash: (script, line) => {
    const ask = `source "$1"; COMP_WORDS=(${line
      .split(' ')
      .map((word) => `'${word}'`)
      .join(
        ' ',
      )}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _\${COMP_WORDS[0]}; printf '%s\\n' "\${COMPREPLY[@]}"`
    return toLines(run('bash', ['-c', ask, 'bash', script]))
  },
  fish: (script, line) => {
    const ask = `source $argv[1]; complete -C $argv[2]`
    return toLines(run('fish', ['-N', '-c', ask, script, line]))
  },
  // only at a terminal, so it gets one (-D: compinit would replace the file that it is told to keep its notes in); a command of that name then prints what it was given
  zsh: (script, line) => {
    const ask = `zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1= RPS1=; autoload -U compinit; compinit -u -D; source $1"
      zpty -w shell "\${2%% *}() { print -r -- '<''<'\\$*'>''>' }"
      zpty -w -n shell "$2"$'\\t\\n'
      zpty -r shell answer "*<<*>>*"
      print -r -- "$answer"`
    const answer = run('zsh', ['-f', '-c', ask, 'zsh', script, line], {
      env: { PATH: process.env.PATH, HOME: dirname(script), TERM: 'dumb' },
    })
    const words = answer.slice(answer.lastIndexOf('<<') + 2, answer.lastIndexOf('>>'))
    return [words.trim().split(' ').at(-1)!]
  },
}

const toLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.split('\t')[0]!)
    .filter((line) => line !== '')

const installed = (['bash', 'zsh', 'fish'] as const).filter(
  (shell) => spawnSync(shell, ['-c', 'true']).status === 0,
)

describe.each(installed)('completion in %s', (shell) => {
  it('knows the commands, options and values of the program', async () => {
    using folder = temporaryFolder()
    const { code, stdout } = await runner(folder.path)(['completion', shell])
    expect(code).toBe(0)
    const script = join(folder.path, 'script')
    writeFileSync(script, stdout)
    const ask = (line: string) => complete[shell](script, line)
    expect(ask('parley doct')).toEqual(['doctor'])
    expect(ask('parley sessions exp')).toEqual(['export'])
    expect(ask('parley sessions list --ki')).toEqual(['--kind'])
    expect(ask('parley sessions list --kind backg')).toEqual(['background'])
    expect(ask('parley completion fi')).toEqual(['fish'])
    // a flag of the program counts below it too, and the value of an option is no command
    expect(ask('parley sessions list --data-')).toEqual(['--data-dir'])
    expect(ask('parley --data-dir sessions doct')).toEqual(['doctor'])
  })

  it('finds a new command by itself, whatever its words', () => {
    using folder = temporaryFolder()
    const script = join(folder.path, 'script')
    const program = new Command('tool').addCommand(
      new Command('fresh')
        .description(`it's "new": $HOME \`id\` \\ [x]`)
        .addOption(new Option('--colour <name>', `who's: red`).choices(['crimson', 'green'])),
    )
    writeFileSync(script, toScript(program, shell))
    expect(complete[shell](script, 'tool fre')).toEqual(['fresh'])
    expect(complete[shell](script, 'tool fresh --col')).toEqual(['--colour'])
    expect(complete[shell](script, 'tool fresh --colour cri')).toEqual(['crimson'])
  })
})

it('says which shells there are', async () => {
  using folder = temporaryFolder()
  expect(await runner(folder.path)(['completion', 'cmd'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('bash, zsh, fish'),
  })
})
