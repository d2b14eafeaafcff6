import { describe, expect, it } from 'vitest'
import { listCommands } from './shell-commands.ts'

describe('the commands of a line', () => {
  it.each([
    ['rm -rf a'],
    ['ls; rm -rf a'],
    ['ls && rm -rf a'],
    ['ls||rm -rf a'],
    ['ls | rm -rf a'],
    ['ls & rm -rf a'],
    ['ls\nrm -rf a'],
    ['ls\r\nrm -rf a\r\n'],
    ['(rm -rf a)'],
    ['{ rm -rf a; }'],
    ['echo $(rm -rf a)'],
    ['echo "$(rm -rf a)"'],
    ['echo `rm -rf a`'],
    ['echo "x `rm -rf a` y"'],
    ['diff <(rm -rf a) b'],
    ['if true; then rm -rf a; fi'],
    ['while rm -rf a; do :; done'],
    ['! rm -rf a'],
    ['A=1 B="2 3" rm -rf a'],
    ['>/dev/null rm -rf a'],
    ['2>&1 rm -rf a 2>/dev/null'],
    ['rm   -rf\ta'],
    ['r\\m -rf a'],
    ["'rm' -rf a"],
    ['r"m" -rf a'],
    ["$'\\x72m' -rf a"],
    ["$'\\162m' -rf a"],
    ['rm \\\n -rf a'],
    ['/bin/rm -rf a'],
    ['../../bin/rm -rf a'],
    ['sudo rm -rf a'],
    ['sudo -u root -- rm -rf a'],
    ['env -i PATH=/bin rm -rf a'],
    ['nohup nice -n 5 rm -rf a'],
    ['timeout 5 rm -rf a'],
    ['find . -exec rm -rf a \\;'],
    ['sh -c "rm -rf a"'],
    ["bash -lc 'ls; rm -rf a'"],
    ['sh -c \'sh -c "rm -rf a"\''],
    ['eval rm\\ -rf\\ a'],
    ['ls # comment\nrm -rf a'],
    ["trap 'rm -rf a' EXIT"],
    // quotes mean nothing in a text that follows the line
    ["cat <<E\n'\nE\nrm -rf a # '"],
    ['cat <<\'E\' <<-"F"\n\'\nE\n"\n\tF\nrm -rf a # \'"'],
    ["cat <<E\n' $(rm -rf a) '\nE"],
    ["cat <<E\r\n'\r\nE\r\nrm -rf a # '"],
    ["(cat <<E\n'\nE\n); rm -rf a # '"],
    ['sh <<E\nrm -rf a\nE'],
    ["bash <<< 'rm -rf a'"],
    ['echo `echo \\`rm -rf a\\``'],
    ['$"rm" -rf a'],
    ['"r\\\nm" -rf a'],
    ['{rm,-rf,a}'],
    ['a[0]=1 rm -rf a'],
    ['{fd}>/dev/null rm -rf a'],
    ['time -p rm -rf a'],
    ['function f { rm -rf a; }; f'],
    ['coproc NAME { rm -rf a; }'],
    ['eval rm -rf a'],
    ['eval -- "rm -rf" a'],
    ['ssh host rm -rf a'],
    ['taskset 1 rm -rf a'],
    ['/lib64/ld-linux-x86-64.so.2 /bin/rm -rf a'],
    [`env ${'A=1 '.repeat(200)}rm -rf a`],
  ])('%j runs rm', (line) => {
    expect(listCommands(line).commands).toContain('rm -rf a')
  })

  it.each([
    ['echo rm -rf a'],
    ["echo '; rm -rf a'"],
    ['git commit -m "rm -rf a"'],
    ['ls # rm -rf a'],
    ['ls rm -rf a'],
  ])('%j does not', (line) => {
    expect(listCommands(line).commands).not.toContain('rm -rf a')
  })

  it('come to an end, whatever the line is', () => {
    const hostile = [
      '$('.repeat(5_000),
      '`'.repeat(9_999),
      '("'.repeat(5_000),
      'sudo '.repeat(3_000),
      "sh -c '".repeat(2_000),
    ]
    for (const line of hostile) expect(listCommands(line).commands.length).toBeLessThanOrEqual(10_000)
  })

  it.each([
    ['many commands', `${Array.from({ length: 2_500 }, (_, at) => `echo ${at}`).join(';')}; rm -rf a`],
    ['many wrappers', `${'sudo -E x '.repeat(3_000)}rm -rf a`],
    [
      'many levels',
      Array.from({ length: 12 }).reduce<string>((line) => `sh -c ${JSON.stringify(line)}`, 'rm -rf a'),
    ],
    ['many shells', `${'eval '.repeat(5_000)}rm -rf a`],
  ])('are said to be cut where they are hidden behind %s', (_, line) => {
    expect(listCommands(line).isCut).toBe(true)
  })

  it('are all there in a line as people write it', () => {
    expect(listCommands(`sudo apt install ${'package '.repeat(300)}`).isCut).toBe(false)
  })
})
