import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'

it('mutes, asks, whispers, replies and asks again in the terminal', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const rooms = async (...args: string[]) => parley(['rooms', ...args])
  const id = (await rooms('create', '--agents', 'mira,pip', '--policy', 'silent')).stdout.trim()
  expect(await rooms('mute', id, '@pip')).toMatchObject({ code: 0, stderr: 'muted: pip\n' })
  expect((await rooms('show', id)).stdout).toContain('@pip, muted')
  const unheard = await rooms('say', id, '@pip hello')
  expect(unheard).toMatchObject({ code: 0, stdout: '' })
  expect(unheard.stderr).toContain('Mentioned, but muted: Pip.')
  expect(await rooms('ask', id, 'pip')).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('is muted'),
  })
  expect(await rooms('unmute', id, 'pip')).toMatchObject({ code: 0, stderr: 'muted: nobody\n' })

  const asked = await rooms('ask', id, '@pip')
  expect(asked, asked.stderr).toMatchObject({ code: 0, stderr: 'operator asks Pip.\n' })
  expect(asked.stdout).toMatch(/^🐿️ Pip: /)
  const whispered = await rooms('whisper', id, 'mira', 'psst')
  expect(whispered, whispered.stderr).toMatchObject({ code: 0, stdout: '' })
  expect(whispered.stderr).toContain('mira, in private: ')

  const [, answer] = JSON.parse(
    (await parley(['sessions', 'export', id, '--format', 'json'])).stdout,
  ).messages
  expect(answer.metadata.agent).toBe('pip')
  const replied = await rooms('say', id, '@mira do you agree?', '--reply-to', answer.id)
  expect(replied, replied.stderr).toMatchObject({ code: 0 })
  const again = await rooms('regenerate', id, answer.id)
  expect(again, again.stderr).toMatchObject({ code: 0 })
  expect(again.stderr).toMatch(/^in the room ses_\w+\noperator asks Pip again\.\n$/)
  expect(again.stdout).toMatch(/^🐿️ Pip: /)

  const picked = ['--policy', 'selector', '--agents', 'mira,pip']
  const bad = await rooms('create', ...picked, '--transition', 'mira=quill')
  expect(bad).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('room.selector.transitions: "quill"'),
  })
  expect(await rooms('create', ...picked, '--transition', 'mira')).toMatchObject({ code: 2 })
  expect(await rooms('create', ...picked, '--transition', 'mira=pip', 'pip=')).toMatchObject({ code: 0 })
}, 240_000)
