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
  ])('%j runs rm', (line) => {
    expect(listCommands(line)).toContain('rm -rf a')
  })

  it.each([
    ['echo rm -rf a'],
    ["echo '; rm -rf a'"],
    ['git commit -m "rm -rf a"'],
    ['ls # rm -rf a'],
    ['ls rm -rf a'],
  ])('%j does not', (line) => {
    expect(listCommands(line)).not.toContain('rm -rf a')
  })

  it('come to an end, whatever the line is', () => {
    const hostile = [
      '$('.repeat(5_000),
      '`'.repeat(9_999),
      '("'.repeat(5_000),
      'sudo '.repeat(3_000),
      "sh -c '".repeat(2_000),
    ]
    for (const line of hostile) expect(listCommands(line).length).toBeLessThanOrEqual(10_000)
  })
})
