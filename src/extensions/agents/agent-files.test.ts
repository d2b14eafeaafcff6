import { describe, expect, it } from 'vitest'
import { arrangeFiles } from '../../../test/context-arrange.ts'
import { agentFiles, readAgents, readUserAgents, type AgentSet } from './agent-files.ts'
import { createContextSource } from '../../core/context/context-source.ts'

const read = (files: Record<string, string | Buffer>) => readAgents(arrangeFiles(files).places)

describe('agent files of Parley', () => {
  it('say all that an agent is, in either spelling', async () => {
    const { agents, problems } = await read({
      'root/.parley/agents/milk.md': `---
displayName: 牛奶
nicknames: [银渐层, milky]
aliases: m, 奶
avatar: 🐈
color: Teal
model: demo/parley
tools: file, web_fetch
limits: { maxSteps: 3, tokenBudget: 1000, timeoutMs: 5000 }
description: Draws the big picture
---
You are calm.
`,
      'user/agents/other.md':
        '---\nname: 咖啡\ndisplay_name: Coffee\nnickname: bean\ncolor: "#ABC"\n---\nTerse.',
    })
    expect(problems).toEqual([])
    expect(agents).toEqual([
      {
        name: 'milk',
        displayName: '牛奶',
        nicknames: ['银渐层', 'milky'],
        aliases: ['m', '奶'],
        avatar: '🐈',
        color: '#0f766e',
        model: 'demo/parley',
        tools: ['file', 'web_fetch'],
        limits: { maxSteps: 3, tokenBudget: 1_000, timeoutMs: 5_000 },
        description: 'Draws the big picture',
        persona: 'You are calm.',
        source: 'project',
        path: '.parley/agents/milk.md',
      },
      {
        name: '咖啡',
        displayName: 'Coffee',
        nicknames: ['bean'],
        color: '#aabbcc',
        persona: 'Terse.',
        source: 'user',
        path: 'user:agents/other.md',
      },
    ])
  })

  it('need no front matter, and are switched off by theirs', async () => {
    const { agents } = await read({
      'root/.parley/agents/plain.md': 'Just a persona',
      'root/.parley/agents/off.md': '---\nenabled: false\n---\nOff',
      'root/.parley/agents/note.txt': 'no agent',
      'root/.parley/agents/none.md': '---\ntools: []\n---\n',
    })
    expect(agents.map(({ name, persona, tools }) => [name, persona, tools])).toEqual([
      ['none', undefined, []],
      ['plain', 'Just a persona', undefined],
    ])
  })

  it('lose a field that is wrong, and say so', async () => {
    const { agents, problems } = await read({
      'root/.parley/agents/a.md': `---
displayName: [x]
nicknames: ["two words", ok]
color: mauve-ish
model: sonnet
limits: { maxSteps: 0 }
avatar: ${'x'.repeat(17)}
---
${'p'.repeat(20_001)}`,
    })
    expect(agents).toEqual([
      { name: 'a', persona: 'p'.repeat(20_000), source: 'project', path: '.parley/agents/a.md' },
    ])
    expect(problems.map(({ message }) => message.slice(0, 28))).toEqual([
      'has more than 20,000 charact',
      'has the colour "mauve-ish", ',
      'has the model "sonnet", whic',
      'has a wrong displayName, whi',
      'has a wrong nicknames, which',
      'has a wrong avatar, which wa',
      'has a wrong limits, which wa',
    ])
    expect(new Set(problems.map(({ path }) => path))).toEqual(new Set(['.parley/agents/a.md']))
  })

  it('are left out with a name that cannot be one, or front matter that is no YAML', async () => {
    const { agents, problems } = await read({
      'root/.parley/agents/two words.md': 'x',
      'root/.parley/agents/bad.md': '---\nname: [\n---\nx',
      'root/.parley/agents/binary.md': Buffer.from([0xff, 0xfe, 0x00]),
      'root/.parley/agents/evil.md': '---\nname: ../../etc\n---\nx',
    })
    expect(agents).toEqual([])
    expect(problems).toHaveLength(4)
  })

  it('hide one another by name, whatever its case, the project before the user', async () => {
    const { agents, problems } = await read({
      'root/.parley/agents/milk.md': 'of the project',
      'root/.claude/agents/m.md': '---\nname: MILK\ndescription: x\n---\nof another tool',
      'user/agents/Milk.md': 'of the user',
    })
    expect(agents.map(({ persona }) => persona)).toEqual(['of the project'])
    expect(problems).toEqual([
      { path: '.claude/agents/m.md', message: 'is hidden by .parley/agents/milk.md' },
      { path: 'user:agents/Milk.md', message: 'is hidden by .parley/agents/milk.md' },
    ])
  })

  it('are 200 at most', async () => {
    const files = Object.fromEntries(
      ['root/.parley/agents', 'user/agents'].flatMap((folder, place) =>
        Array.from({ length: 150 }, (_, count) => [`${folder}/agent-${place}-${count}.md`, 'x']),
      ),
    )
    const { agents, problems } = await read(files)
    expect(agents).toHaveLength(200)
    expect(problems).toHaveLength(100)
    expect(problems[0]!.message).toContain('there are 200 agents already')
  })
})

describe('agent files of other tools', () => {
  const files = {
    'root/.claude/agents/code-reviewer.md': `---
name: code-reviewer
description: Use this: always after a change
tools: Read, Grep, Glob, Bash(git diff:*), NotebookEdit, mcp__hub__list
model: sonnet
color: purple
---

You review.
`,
    'root/.opencode/agent/docs.md':
      '---\ndescription: Writes\nmode: subagent\nmodel: demo/parley\ntools:\n  bash: false\n  write: true\n---\nWrite.',
    'root/.opencode/agents/all.md': '---\ndescription: All\ntools:\n  write: true\n---\nAll.',
    'root/.github/agents/planner.agent.md':
      "---\ndescription: Plans\ntools: ['search', 'fetch', 'githubRepo']\nmodel: GPT-5 (copilot)\n---\nPlan.",
    'root/.github/chatmodes/Beast Mode 4.1.chatmode.md':
      '---\ndescription: Beast\ntools: ["runCommands"]\n---\nRoar.',
    'root/.cursor/agents/verifier.md':
      '---\nname: verifier\ndescription: Checks\nmodel: inherit\n---\nCheck.',
    'root/.claude/agents/README.md': 'How to write agents',
  }

  it('are read in the shapes of each', async () => {
    const { agents, problems } = await read(files)
    const shown = agents.map(({ name, displayName, tools, model, color, persona }) =>
      [name, displayName, tools?.join(), model, color, persona].map((value) => value ?? '-').join(' | '),
    )
    expect(shown).toEqual([
      'code-reviewer | - | file,terminal,mcp__hub__list | - | #9333ea | You review.',
      'docs | - | file,web_fetch,web_search,spawn_task | demo/parley | - | Write.',
      'all | - | - | - | - | All.',
      'planner | - | file,web_fetch | - | - | Plan.',
      'Beast-Mode-4-1 | Beast Mode 4.1 | terminal | - | - | Roar.',
      'verifier | - | - | - | - | Check.',
    ])
    expect(agents[0]!.description).toBe('Use this: always after a change')
    expect(problems).toEqual([
      { path: '.claude/agents/README.md', message: 'has no front matter, which an agent needs there' },
      {
        path: '.claude/agents/code-reviewer.md',
        message: 'has the model "sonnet", which was left out: it must be adapter/model',
      },
      {
        path: '.github/agents/planner.agent.md',
        message: 'has the model "GPT-5 (copilot)", which was left out: it must be adapter/model',
      },
    ])
  })

  it('are not read when other tools, or agents, are off', async () => {
    const { places } = arrangeFiles({ ...files, 'root/.parley/agents/own.md': 'x' })
    const namesWithout = async (...off: ('other-tools' | 'agents')[]) =>
      (await readAgents({ ...places, off })).agents.map(({ name }) => name)
    expect(await namesWithout('other-tools')).toEqual(['own'])
    expect(await namesWithout('agents')).toEqual([])
  })
})

it('reads those of the user alone where there is no folder', async () => {
  const { places } = arrangeFiles({ 'user/agents/own.md': 'x', 'user/.parley/agents/not.md': 'x' })
  expect((await readUserAgents(places.userDir)).agents).toMatchObject([
    { name: 'own', source: 'user', path: 'user:agents/own.md' },
  ])
  expect((await readUserAgents(undefined)).agents).toEqual([])
})

it('follows no link out of the root', async () => {
  const { places, link } = arrangeFiles({ 'home/secret.md': 'secret' })
  link('root/.parley/agents/leak.md', '../../../home/secret.md')
  const { agents, problems } = await readAgents(places)
  expect(agents).toEqual([])
  expect(problems).toEqual([
    { path: '.parley/agents/leak.md', message: 'leads out of its folder and was not followed' },
  ])
})

it('shows changes on disk in the next answer', async () => {
  const { places, write } = arrangeFiles({ 'root/.parley/agents/a.md': 'old' })
  const source = createContextSource(places, { files: [agentFiles] })
  const agents = async () => (await source.current()).more.get(agentFiles) as AgentSet
  const personas = async () => (await agents()).agents.map(({ persona }) => persona)
  try {
    const { hash } = await source.current()
    expect(await personas()).toEqual(['old'])
    write('root/.parley/agents/a.md', 'new words')
    write('root/.github/agents/b.agent.md', '---\ndescription: b\n---\nmore')
    await expect.poll(personas).toEqual(['new words', 'more'])
    expect((await source.current()).hash).not.toBe(hash)
  } finally {
    await source.stop()
  }
})
