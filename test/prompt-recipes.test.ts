import { describe, expect, it } from 'vitest'
import { renderDynamic, renderStatic } from '../src/core/prompt/assemble.ts'
import type { PromptContext } from '../src/core/prompt/fragment.ts'
import { recipes, resolveScenario, scenarios } from './built-in-recipes.ts'

const context: PromptContext = {
  scope: { name: 'default', root: '/srv/project' },
  session: { id: 'ses_1', kind: 'interactive' },
  rules: 'Be brief.',
  availableSkills: [{ name: 'greet', description: 'How to greet' }],
  activeSkills: [{ name: 'rhyme', body: 'Rhyme.' }],
  callerPreamble: 'PREAMBLE',
  workflow: {
    name: 'w',
    runId: 'r',
    step: 's2',
    completed: 1,
    steps: ['s1', 's2'],
    outputs: [{ step: 's1', output: 'o'.repeat(400) }],
    args: { a: 'x'.repeat(300) },
  },
  managedWorkflow: { name: 'w' },
  workspace: 'three files',
  locks: [{ resource: 'doc:1', holder: 'ses_2' }],
  memories: [{ kind: 'profile', text: 'likes tea' }],
  injection: 'be a pirate',
  editedWorkflow: 'steps: []',
}

describe('a scenario', () => {
  it.each([
    [undefined, 'interactive'],
    [{}, 'interactive'],
    [{ kind: 'interactive' }, 'interactive'],
    [{ kind: 'tool' }, 'interactive'],
    [{ kind: 'tool', toolMeta: { source: 'workflow-management' } }, 'tool_workflow_management'],
    [{ kind: 'tool', toolMeta: { source: 'workflow_management' } }, 'tool_workflow_management'],
    [{ kind: 'background', bgMeta: { source: 'workflow-management' } }, 'tool_workflow_management'],
    [{ kind: 'background', bgMeta: { source: 'workflow' } }, 'background_workflow_step'],
    [{ kind: 'background', bgMeta: { source: 'api' } }, 'background_task'],
    [{ kind: 'background' }, 'background_task'],
  ])('of %j is %s', (session, scenario) => {
    expect(resolveScenario(session)).toBe(scenario)
  })

  it.each([
    ['interactive', ['identity', 'instructions', 'rules', 'env', 'available_skills', 'skills']],
    [
      'background_task',
      ['identity', 'instructions', 'rules', 'env', 'available_skills', 'skills', 'caller_preamble'],
    ],
    [
      'background_workflow_step',
      [
        'identity',
        'instructions',
        'rules',
        'env',
        'workflow_context',
        'available_skills',
        'skills',
        'caller_preamble',
      ],
    ],
    [
      'tool_workflow_management',
      ['identity_workflow', 'rules', 'env', 'workflow_management_context', 'available_skills', 'skills'],
    ],
  ] as const)('%s has the static part %j', (scenario, names) => {
    expect(renderStatic(recipes[scenario], context).fragments.map(({ name }) => name)).toEqual(names)
  })
})

describe('the static part', () => {
  it.each(scenarios)('of %s is the same for the same context, and holds nothing that changes', (scenario) => {
    const { text } = renderStatic(recipes[scenario], context)
    expect(renderStatic(recipes[scenario], structuredClone(context)).text).toBe(text)
    const changed = {
      ...context,
      workspace: 'x',
      locks: [],
      memories: [],
      injection: 'y',
      editedWorkflow: 'z',
    }
    expect(renderStatic(recipes[scenario], changed).text).toBe(text)
  })

  it('holds a preamble once, and only where its recipe accepts one', () => {
    for (const scenario of scenarios) {
      const times = renderStatic(recipes[scenario], context).text.split('PREAMBLE').length - 1
      expect(times, scenario).toBe(recipes[scenario].acceptCallerPreamble ? 1 : 0)
    }
  })

  it('cuts long outputs and arguments of a workflow', () => {
    const { text } = renderStatic(recipes.background_workflow_step, context)
    expect(text).toContain(`${'o'.repeat(300)}…`)
    expect(text).toContain(`${'x'.repeat(200)}…`)
  })
})

describe('the context of a workflow step', () => {
  const run = { name: 'run', shownAs: 'session_workspace', path: '/a' }
  const workflow = { name: 'workflow', shownAs: 'workflow_workspace', path: '/b' }
  const rulesIn = (folders: PromptContext['session']['folders']) =>
    renderStatic(recipes.background_workflow_step, {
      ...context,
      session: { ...context.session, folders },
    }).text.match(/workspace "\w+"/g) ?? []

  it('says where files go, as far as there are folders', () => {
    expect(rulesIn([])).toEqual([])
    expect(rulesIn([run])).toEqual(['workspace "run"', 'workspace "main"'])
    expect(rulesIn([workflow])).toEqual(['workspace "workflow"', 'workspace "main"'])
    expect(rulesIn([run, workflow])).toHaveLength(3)
  })
})

describe('the dynamic tail', () => {
  const recipe = recipes.interactive

  it('is sent when it changed, not when it did not, and says when something is gone', () => {
    const first = renderDynamic(recipe, context, {})
    expect(first.fragments.map(({ name }) => name)).toEqual([
      'workspace_context',
      'active_locks',
      'memory_profile',
      'prompt_injection',
    ])
    const second = renderDynamic(recipe, { ...context, injection: undefined }, first.sent)
    expect(second.text).toBe('')
    const third = renderDynamic(recipe, { ...context, injection: undefined, locks: [] }, second.sent)
    expect(third.text).toBe('<active_locks>none any more</active_locks>')
    expect(renderDynamic(recipe, { ...context, injection: undefined, locks: [] }, third.sent).text).toBe('')
  })

  it('sends what belongs to one input each time, also when it is the same', () => {
    const { sent } = renderDynamic(recipe, context, {})
    expect(renderDynamic(recipe, context, sent).fragments.map(({ name }) => name)).toEqual([
      'prompt_injection',
    ])
  })

  it('may be empty', () => {
    const bare = { ...context, workspace: undefined, locks: [], memories: [], injection: undefined }
    expect(renderDynamic(recipe, bare, {})).toEqual({ text: '', fragments: [], sent: {} })
  })

  it('of a management session holds the definition that is edited', () => {
    const { fragments } = renderDynamic(recipes.tool_workflow_management, context, {})
    expect(fragments.map(({ name }) => name)).toEqual(['workflow_edit_context', 'active_locks'])
  })
})
