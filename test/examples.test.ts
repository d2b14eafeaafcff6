import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
// compiled once for all of them, and where the command line finds it too
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled') }
const examples = globSync('examples/*.ts', { cwd: root }).sort()

/** What an example is there to show: running without showing it would not be enough. */
const shown: Record<string, string[]> = {
  'examples/05-session-lite.ts': [
    'So far you told me:\n\n1. I have two cats.\n',
    'The model sees 4 of 8 messages.\n',
    'lite (max_keep_messages_count): ',
    ' → 2 messages\n',
  ],
  'examples/06-session-memo.ts': [
    '1. <memo> What is worth knowing of earlier messages: facts: - I live in Lisbon. - I do not eat fish.',
    '2. Well then.\n',
    'version 2 by handler, messages 5 to 8: ',
    "version 1 by handler, messages 1 to 4: { facts: [ 'I live in Lisbon.' ] }\n",
    'lite (max_keep_messages_count, 50): ',
    "undone, as version 3: { facts: [ 'I live in Lisbon.' ] }\n",
  ],
  'examples/07-background-tasks.ts': ['all of them are back: hotels, trains, weather\n'],
  'examples/08-approvals-and-undo.ts': [
    'it asks: file edit. It changes something.\n',
    "after the edit: console.log('good morning')\n",
    "rolled back 1 file: console.log('hello')\n",
    'the log has 0 messages\n',
  ],
  'examples/09-workflow-with-approval.ts': [
    'ok asks: May this go out? Come to the summer party!\n',
    'draft completed, ok completed, sent completed\n',
    'Sent (nice): Come to the summer party!\n',
  ],
  'examples/10-plan.ts': [
    '- [2] Prepare (after 1)\n  - [3] Bake a cake\n',
    'I add “Say thank you”.\ntask_operation/create_task completed\ncompleted\n',
    'Prepare: completed\nBake a cake: completed\nLay the table: completed\nSay thank you: completed\n',
  ],
  'examples/11-room.ts': [
    'mira: Mira here. As to “What shall we play?”: ',
    'pip: Pip here. As to “you choose.”: ',
    'Question 3: all others answer.\n',
    'The quiz is over.\n1. ',
    '\nended\n',
  ],
}

it.each(examples)('%s runs and says something', async (example) => {
  using folder = temporaryFolder()
  const { stdout, stderr } = await run(process.execPath, [join(root, example)], { cwd: folder.path, env })
  expect(stdout).not.toBe('')
  expect(stderr).toBe('')
  for (const text of shown[example] ?? []) expect(stdout).toContain(text)
})

it.each(['README.md', 'README.zh-CN.md'])('the code in %s is the minimal example', (file) => {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, file), 'utf8')) ?? []
  expect(code).toBe(readFileSync(join(root, 'examples/01-minimal.ts'), 'utf8'))
})
