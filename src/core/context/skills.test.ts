import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrangeFiles, fillFolder, makePipe } from '../../../test/context-arrange.ts'
import { listSkills, loadSkill, readSkillFile, readSkills } from './skills.ts'
import { countTokens } from './cut-to-tokens.ts'

const skill = (name: string, body = `How to ${name}.`, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}\n${more}---\n${body}`

describe('skills', () => {
  it('are found in all places, the first one winning, and listed by name', async () => {
    const { places } = arrangeFiles({
      'root/.parley/skills/zeta/SKILL.md': skill('zeta'),
      'root/.agents/skills/zeta/SKILL.md': skill('zeta', 'hidden'),
      'root/.agents/skills/beta/SKILL.md': skill('beta'),
      'root/.claude/skills/alpha/SKILL.md': skill('alpha'),
      'user/skills/user-skill/SKILL.md': skill('user-skill'),
      'user/skills/beta/SKILL.md': skill('beta', 'hidden'),
      'home/.claude/skills/c/SKILL.md': skill('c'),
      'home/.agents/skills/d/SKILL.md': skill('d'),
      'root/.parley/skills/README.md': 'not a skill',
      'root/.parley/skills/drafts/notes.md': 'not a skill either',
    })
    const set = await readSkills(places)
    expect(set.skills.map(({ path }) => path)).toEqual([
      '.claude/skills/alpha/SKILL.md',
      '.agents/skills/beta/SKILL.md',
      'home:.claude/skills/c/SKILL.md',
      'home:.agents/skills/d/SKILL.md',
      'user:skills/user-skill/SKILL.md',
      '.parley/skills/zeta/SKILL.md',
    ])
    expect(listSkills(set)[0]).toEqual({ name: 'alpha', description: 'Does alpha' })
    expect(set.problems).toEqual([
      { path: '.agents/skills/zeta/SKILL.md', message: 'is hidden by .parley/skills/zeta/SKILL.md' },
      { path: 'user:skills/beta/SKILL.md', message: 'is hidden by .agents/skills/beta/SKILL.md' },
    ])
  })

  it('keep the fields of the standard, ignore others, and forgive wrong optional ones', async () => {
    const { places } = arrangeFiles({
      'root/.parley/skills/full/SKILL.md':
        '\uFEFF---\r\nname: full\r\ndescription: " 描述 "\r\nlicense: MIT\r\nallowed-tools: Read  Bash(git:*)\r\n' +
        'metadata: {author: me}\r\nmodel: x\r\ncompatibility: 7\r\n---\r\nBody',
    })
    const { skills, problems } = await readSkills(places)
    expect(problems).toEqual([])
    expect(skills[0]).toMatchObject({
      name: 'full',
      description: '描述',
      license: 'MIT',
      allowedTools: ['Read', 'Bash(git:*)'],
      metadata: { author: 'me' },
      compatibility: undefined,
    })
    expect(skills[0]).not.toHaveProperty('model')
  })

  it.each([
    ['another name', 'x', skill('y'), 'has the name "y", but its folder is "x"'],
    ['capitals', 'Bad', skill('Bad'), 'must be lower-case'],
    ['two dashes', 'a--b', skill('a--b'), 'must be lower-case'],
    ['a Chinese name', '技能', skill('技能'), 'must be lower-case'],
    ['a name that climbs', 'x', skill('../x'), 'must be lower-case'],
    ['a name that is too long', 'n'.repeat(65), skill('n'.repeat(65)), '<=64'],
    ['a name that is a number', '7', '---\nname: 7\ndescription: d\n---', 'expected string; got 7'],
    ['no description', 'x', '---\nname: x\n---\nbody', 'At "description"'],
    ['an empty description', 'x', '---\nname: x\ndescription: " "\n---', 'At "description"'],
    ['a long description', 'x', `---\nname: x\ndescription: ${'d'.repeat(1_025)}\n---`, '<=1024'],
    ['no front matter', 'x', 'just text', 'At "name"'],
    ['front matter that is not closed', 'x', '---\nname: x\ndescription: d\n', 'At "name"'],
    ['bad YAML', 'x', '---\nname: [\n---\n', 'not valid YAML'],
  ])('with %s are problems', async (_, folder, text, words) => {
    const { places } = arrangeFiles({ [`root/.parley/skills/${folder}/SKILL.md`]: text })
    const { skills, problems } = await readSkills(places)
    expect(skills).toEqual([])
    expect(problems).toMatchObject([
      { path: `.parley/skills/${folder}/SKILL.md`, message: expect.stringContaining(words) },
    ])
  })

  it('may be links within the root or the home, and nothing else', async () => {
    const { places, link } = arrangeFiles({
      'root/.agents/skills/good/SKILL.md': skill('good'),
      'elsewhere/bad/SKILL.md': skill('bad'),
      'elsewhere/secret.md': 'SECRET',
      'root/.parley/skills/sly/x': '',
    })
    link('root/.claude/skills/good', '../../.agents/skills/good')
    link('root/.claude/skills/bad', '../../../elsewhere/bad')
    link('root/.claude/skills/broken', 'nowhere')
    link('root/.parley/skills/sly/SKILL.md', '../../../../elsewhere/secret.md')
    const set = await readSkills(places)
    expect(set.skills.map(({ path }) => path)).toEqual(['.agents/skills/good/SKILL.md'])
    expect(set.problems).toEqual([
      { path: '.parley/skills/sly/SKILL.md', message: 'leads out of its folder and was not followed' },
      { path: '.claude/skills/bad', message: 'leads out of its folder and was not followed' },
    ])
  })

  it('do not wait for a pipe, and are bounded in number', async () => {
    const { places, write } = arrangeFiles({ 'root/.parley/skills/pipe/x': '' })
    makePipe(join(places.root, '.parley/skills/pipe/SKILL.md'))
    fillFolder(join(places.root, '.claude/skills'), 1_010)
    for (let index = 0; index < 205; index++)
      write(`root/.agents/skills/s${index}/SKILL.md`, skill(`s${index}`))
    const { skills, problems } = await readSkills(places)
    expect(skills).toHaveLength(200)
    expect(problems).toContainEqual({
      path: '.parley/skills/pipe/SKILL.md',
      message: 'is not a regular file',
    })
    expect(problems.filter(({ message }) => message.includes('200 skills already'))).toHaveLength(5)
  })

  it('can be switched off, all or those of other tools', async () => {
    const { places } = arrangeFiles({
      'root/.agents/skills/a/SKILL.md': skill('a'),
      'root/.claude/skills/b/SKILL.md': skill('b'),
    })
    const names = async (off: 'skills' | 'other-tools') =>
      (await readSkills({ ...places, off: [off] })).skills.map(({ name }) => name)
    expect(await names('skills')).toEqual([])
    expect(await names('other-tools')).toEqual(['a'])
  })

  it('have a hash that changes with them', async () => {
    const { places, write } = arrangeFiles({ 'root/.parley/skills/a/SKILL.md': skill('a') })
    const before = await readSkills(places)
    expect((await readSkills(places)).hash).toBe(before.hash)
    write('root/.parley/skills/a/SKILL.md', skill('a', 'new'))
    expect((await readSkills(places)).hash).not.toBe(before.hash)
  })
})

describe('loading a skill', () => {
  it('gives its body as it is now, and names its files', async () => {
    const { places, write, link } = arrangeFiles({
      'root/.parley/skills/a/SKILL.md': skill('a', 'old'),
      'root/.parley/skills/a/scripts/run.sh': '',
      'root/.parley/skills/a/scripts/deep/er/x.py': '',
      'root/.parley/skills/a/references/说明.md': '',
      'root/.parley/skills/a/other/hidden.md': '',
    })
    link('root/.parley/skills/a/assets/out.md', '/etc/hostname')
    const set = await readSkills(places)
    write('root/.parley/skills/a/SKILL.md', skill('a', 'new body'))
    expect(await loadSkill(set, 'a')).toMatchObject({
      text: 'new body',
      tokens: countTokens('new body'),
      isCut: false,
      files: ['scripts/deep/er/x.py', 'scripts/run.sh', 'references/说明.md'],
    })
  })

  it('cuts a long body with a notice, and a crowd of files', async () => {
    const { places } = arrangeFiles({
      'root/.parley/skills/a/SKILL.md': skill('a', 'many words here\n'.repeat(4_000)),
    })
    fillFolder(join(places.root, '.parley/skills/a/assets'), 300)
    const { text, tokens, isCut, files } = await loadSkill(await readSkills(places), 'a')
    expect(isCut).toBe(true)
    expect(text).toContain('[Cut: a skill may have 5,000 tokens; the rest is in its SKILL.md.]')
    expect(tokens).toBeLessThan(5_050)
    expect(files).toHaveLength(200)
  })

  it.each(['missing', '../a', '', 'a/../a', '__proto__'])('refuses the name %j', async (name) => {
    const { places } = arrangeFiles({ 'root/.parley/skills/a/SKILL.md': skill('a') })
    const set = await readSkills(places)
    await expect(loadSkill(set, name)).rejects.toMatchObject({ code: 'not_found' })
    await expect(readSkillFile(set, name, 'SKILL.md')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a file of a skill', () => {
  it('is read up to 64 KiB; one that is not text is only named', async () => {
    const { places } = arrangeFiles({
      'root/.parley/skills/a/SKILL.md': skill('a'),
      'root/.parley/skills/a/references/r.md': 'text',
      'root/.parley/skills/a/references/big.md': 'x'.repeat(70_000),
      'root/.parley/skills/a/assets/logo.png': Buffer.from([0x89, 0x50, 0, 0]),
    })
    const set = await readSkills(places)
    expect(await readSkillFile(set, 'a', 'references/r.md')).toBe('text')
    expect(await readSkillFile(set, 'a', 'assets/logo.png')).toBe('[assets/logo.png is not text: 4 bytes.]')
    expect(await readSkillFile(set, 'a', 'references/big.md')).toMatch(
      /x\n\[Cut: only the first 65,536 of 70,000 bytes of references\/big\.md were read\.\]$/,
    )
  })

  it.each([
    '../../../AGENTS.md',
    '/etc/passwd',
    'assets',
    'assets/out',
    'none.md',
    'x\0',
    '',
    '../b/SKILL.md',
  ])('is refused as %j', async (path) => {
    const { places, link } = arrangeFiles({
      'root/AGENTS.md': 'SECRET',
      'root/.parley/skills/a/SKILL.md': skill('a'),
      'root/.parley/skills/b/SKILL.md': skill('b'),
    })
    link('root/.parley/skills/a/assets/out', '../../b/SKILL.md')
    await expect(readSkillFile(await readSkills(places), 'a', path)).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})
