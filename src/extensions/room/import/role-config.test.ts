import { expect, it } from 'vitest'
import { readRoleConfig } from './role-config.ts'

const config = {
  schema_version: 3,
  models: [
    { id: 'm1', name: 'One', provider: 'claude-cli', model: 'opus', settings_file: '/x' },
    { id: 'm2', name: 'Two', provider: 'codex-cli', model: 'gpt' },
    { id: 'm3', name: 'Three', provider: 'ollama', model: 'qwen' },
    { id: 'm4', name: 'Four', provider: 'any', model: 'demo/echo' },
  ],
  stage_assignment: { coder: 'm1', reviewer: 'm2', tester: 'm3' },
  cats: {
    银渐层: { model_id: 'm3', nickname: '牛奶', aliases: ['milk', '牛奶'], avatar: '🐱', color: '#b45309' },
    阿比西尼亚: { model_id: 'm2', display_name: 'Coffee', persona: 'Direct.' },
    'Gar field': { model_id: 'm4' },
  },
}

it('finds who does a stage by the model of the stage', () => {
  expect(readRoleConfig(config).roleMap).toEqual({ reviewer: '阿比西尼亚', tester: '银渐层' })
})

it('lets who is named for a stage do it, whatever the models say', () => {
  const { roleMap } = readRoleConfig({
    ...config,
    workflow_assignment: { coder: 'Gar field', reviewer: '银渐层', nobody: 7 },
  })
  expect(roleMap).toEqual({ coder: 'Gar-field', reviewer: '银渐层', tester: '银渐层' })
})

it('gives an agent the model of the stage that it does, else its own', () => {
  const modelsOf = (workflow_assignment: Record<string, string>) =>
    Object.fromEntries(
      readRoleConfig({ ...config, workflow_assignment }).agents.map(({ name, model }) => [name, model]),
    )
  expect(modelsOf({ tester: 'Gar field' })).toEqual({
    银渐层: 'ollama/qwen',
    阿比西尼亚: 'openai/gpt',
    'Gar-field': 'ollama/qwen',
  })
  expect(modelsOf({ coder: '银渐层', tester: 'else' })).toEqual({
    银渐层: 'anthropic/opus',
    阿比西尼亚: 'openai/gpt',
    'Gar-field': 'demo/echo',
  })
})

it('has the nickname among the aliases, once', () => {
  const [first, second] = readRoleConfig({
    ...config,
    role_profiles: { reviewer: { display_name: 'Checker', role_title: 'Reviewer', nickname: '咖啡' } },
  }).agents
  expect(first).toEqual({
    name: '银渐层',
    nicknames: ['牛奶'],
    aliases: ['milk', '牛奶'],
    avatar: '🐱',
    color: '#b45309',
    model: 'ollama/qwen',
  })
  expect(second).toEqual({
    name: '阿比西尼亚',
    displayName: 'Coffee',
    description: 'Reviewer',
    nicknames: ['咖啡'],
    aliases: ['咖啡'],
    persona: 'Direct.',
    model: 'openai/gpt',
  })
})

it('passes over what it cannot use, and takes nothing else along with it', () => {
  const none = { agents: [], roleMap: {} }
  for (const odd of [
    {},
    { cats: [] },
    { cats: { a: 'text', '': {}, '@@': {} } },
    { models: 'x', cats: null },
  ])
    expect(readRoleConfig(odd as Record<string, unknown>)).toEqual(none)
  expect(
    readRoleConfig({
      models: [null, { id: 'm1', model: 7 }, { id: 'm2', model: 'x' }],
      stage_assignment: { coder: null, ['x'.repeat(100)]: 'm1' },
      cats: {
        a: { model_id: 'm1', color: 'red', aliases: ['two words'], persona: 'Kind.', nickname: '  ' },
        b: { model_id: null },
        ['__proto__']: { persona: 'x' },
      },
    }),
  ).toEqual({
    agents: [{ name: 'a', persona: 'Kind.' }, { name: 'b' }],
    roleMap: {},
  })
})

it('names no more nodes than a room can have', () => {
  const stages = Array.from({ length: 60 }, (_, index) => [`stage-${index}`, 'milk'])
  const { roleMap } = readRoleConfig({ cats: { milk: {} }, workflow_assignment: Object.fromEntries(stages) })
  expect(Object.keys(roleMap)).toHaveLength(50)
})
