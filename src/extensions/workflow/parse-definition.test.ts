import { describe, expect, it } from 'vitest'
import { allSteps } from './blocks.ts'
import { parseDefinition, requireDefinition } from './parse-definition.ts'

const problemsOf = (text: string) => {
  const parsed = parseDefinition(text)
  return 'problems' in parsed
    ? parsed.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
    : []
}
const idsOf = (text: string) => allSteps(requireDefinition(text).steps).map(({ step }) => step.id)
const withSteps = (steps: string, more = '') => `name: demo\n${more}steps:\n${steps}`
const agent = (prompt: string, more = '') => `  - { type: agent, prompt: '${prompt}'${more} }\n`

describe('a definition', () => {
  it('is read from YAML and from JSON, with spaces before it too', () => {
    const yaml = withSteps(
      '  - type: agent\n    prompt: |\n      Write about $args.topic.\n      At length.\n',
    )
    const json =
      '  \n {"name": "demo", "steps": [{"type": "agent", "prompt": "Write about $args.topic.\\nAt length.\\n"}]}'
    expect(requireDefinition(json)).toEqual(requireDefinition(yaml))
  })

  it('has a name in any language, and prompts of any length', () => {
    const long = 'Say it. '.repeat(5_000)
    const text = `name: 每日摘要\nsteps:\n  - { type: agent, prompt: ${JSON.stringify(long)} }`
    expect(requireDefinition(text)).toMatchObject({ name: '每日摘要', steps: [{ prompt: long }] })
  })

  it('gives ids to steps that have none, beside those that do', () => {
    const nested = `  - type: parallel
    branches:
      a: [{ type: agent, prompt: x }]
      b: [{ type: agent, prompt: y, id: step_4 }, { type: agent, prompt: z }]
`
    const ids = idsOf(withSteps(agent('first') + nested + agent('last', ', id: end')))
    expect(ids).toEqual(['step_1', 'step_2', 'step_3', 'step_4', 'step_5', 'end'])
    expect(idsOf(withSteps(agent('a', ', id: step_2') + agent('b')))).toEqual(['step_2', 'step_4'])
  })

  it('has steps of every type, one inside of the other', () => {
    const text = withSteps(
      `  - { id: plan, type: agent, prompt: 'Plan $args.goal', sessionConfig: { permissionMode: plan } }
  - { id: ok, type: approve, approvePrompt: 'Do $plan.output?', onReject: continue }
  - { id: pick, type: transform, input: $plan.data, transform: parts.0 }
  - id: each
    type: foreach
    items: $plan.data.parts
    as: part
    steps:
      - { id: do, type: agent, prompt: 'Do $part, number $index, after $plan.output' }
  - id: choose
    type: branch
    cases:
      - when: $ok.approved and $args.goal != ""
        steps: [{ id: yes, type: agent, prompt: 'Go' }]
    else: [{ id: no, type: workflow, workflow: other, args: { reason: '$ok.output' } }]
  - id: polish
    type: loop
    maxIterations: 3
    until: $judge.data.passed
    stopWhenRepeated: $judge.output
    steps:
      - { id: write, type: agent, prompt: 'Round $iteration. Mend: $judge.data.mustFix' }
      - { id: judge, type: agent, prompt: 'Judge $write.output' }
  - { id: last, type: agent, prompt: '$judge.output and $yes.output', condition: not $no.status == "failed" }
`,
      'args:\n  goal: { description: what for }\n',
    )
    expect(problemsOf(text)).toEqual([])
  })
})

describe('the reader takes', () => {
  it.each<[what: string, text: string]>([
    ['a text with a mark of its encoding', `\uFEFF${withSteps(agent('x'))}`],
    ['lines that end as on Windows', withSteps(agent('x')).replaceAll('\n', '\r\n')],
    [
      'JSON with spaces, tabs and empty lines before it',
      '\n \t\n  {"name":"a","steps":[{"type":"agent","prompt":"x"}]}',
    ],
    ['a name that begins with a number', withSteps(agent('x')).replace('demo', '3rd try')],
    ['a description', withSteps(agent('x'), 'description: What it is for\n')],
    ['an empty default', withSteps(agent('$args.a'), "args: { a: { default: '' } }\n")],
    [
      'args of every type',
      withSteps(
        agent('x'),
        'args: { a: { type: string }, b: { type: number }, c: { type: boolean }, d: { type: object }, e: { type: array } }\n',
      ),
    ],
    ['an arg that says nothing about itself', withSteps(agent('x'), 'args: { a: {} }\n')],
    ['outputs', withSteps(agent('x'), 'outputs: { a: { type: number, description: how many } }\n')],
    ['$args in an input', withSteps(agent('x', ', input: $args.a'))],
    ['$args in a condition', withSteps(agent('x', ', condition: $args.a == 1'))],
    ['$args as a whole', withSteps(agent('all of it: $args'))],
    ['$prev in the first step', withSteps(agent('x', ', input: $prev.output, condition: not $prev.output'))],
    [
      'an earlier step in an input',
      withSteps(agent('x', ', id: a') + agent('y', ', input: { b: [$a.output] }')),
    ],
    [
      'an earlier step in a condition',
      withSteps(agent('x', ', id: a') + agent('y', ', condition: $a.data.b.c > 1')),
    ],
    [
      'an earlier step by the id it was given',
      withSteps(agent('x') + agent('y', ', id: b') + agent('$step_1.output $b.output')),
    ],
    ['a condition that is true or false', withSteps(agent('x', ', condition: false'))],
    ['an approval that asks by prompt', withSteps("  - { type: approve, prompt: 'Ok?' }\n")],
    ['an approval that asks by approvePrompt', withSteps("  - { type: approve, approvePrompt: 'Ok?' }\n")],
    ['a transform', withSteps('  - { type: transform, transform: a.b.0 }\n')],
    [
      'an item that is asked for its parts',
      withSteps(
        "  - { type: foreach, items: [1], as: part, steps: [{ type: agent, prompt: '$part.name.first $index' }] }\n",
      ),
    ],
    [
      'what a foreach came to',
      withSteps(
        "  - { type: foreach, id: all, items: $args.x, steps: [{ type: agent, prompt: '$item' }] }\n  - { type: agent, prompt: '$all.data[0]' }\n",
      ),
    ],
    [
      'what a step itself said in its linked actions',
      withSteps(
        "  - { type: agent, id: a, prompt: x, linkedActions: [{ type: notify, params: { title: done, body: '$a.output $prev.status' } }] }\n",
      ),
    ],
    [
      'every trigger',
      withSteps(
        agent('x'),
        "triggers: [{ type: cron, schedule: '30 7 * * *', timezone: Europe/Berlin }, { type: document_saved, filter: { folder: a } }, { type: todo_completed }, { type: schedule_remind }]\n",
      ),
    ],
    [
      'every setting',
      withSteps(
        agent('x'),
        'config: { maxTotalTimeoutMs: 60000, countsPauses: true, errorStrategy: continue, workspaceMode: isolated, maxStepOutputChars: 100, approvalTimeoutMs: 1000, notifyOnComplete: true, notifyOnFail: false, tags: [a], version: 1.2 }\n',
      ),
    ],
    [
      'retries',
      withSteps(
        agent('x', ', retryConfig: { maxRetries: 3, retryDelayMs: 0, backoff: 1, retryOn: [timeout] }'),
      ),
    ],
    [
      'a session that is described',
      withSteps(
        agent(
          'x',
          ', model: a/b, timeoutMs: 1000, sessionConfig: { thinking: true, skills: [a], systemPrompt: be brief, allowedTools: [file], allowedSkills: [b], allowedMcpServerIds: [c], model: c/d, maxTurns: 3, permissionMode: acceptEdits, memoryPolicy: read, expectedOutputFormat: a list, outputSchema: { type: object, properties: { a: { type: string } } }, toolGroups: { web: false } }',
        ),
      ),
    ],
    [
      'every linked action',
      withSteps(
        agent(
          'x',
          ', linkedActions: [{ type: create_todo }, { type: update_todo }, { type: create_document }, { type: update_schedule }, { type: notify, params: { title: a, body: b } }]',
        ),
      ),
    ],
    [
      'a few aliases',
      withSteps(agent('x', ', retryConfig: &r { maxRetries: 1 }') + agent('y', ', retryConfig: *r')),
    ],
    [
      'keys that every object has',
      withSteps(agent('$args.constructor $args.toString'), 'args: { constructor: {}, toString: {} }\n'),
    ],
    ['a dollar that means nothing', withSteps(agent('It costs $5, $HOME is $PATH, $$args'))],
    ['steps in eight levels', withSteps(loopsAround(8))],
    ['500 steps', withSteps(agent('x').repeat(500))],
  ])('%s', (_what, text) => {
    expect(problemsOf(text)).toEqual([])
  })

  it('JSON with all its escapes', () => {
    const json = String.raw`{"name": "\u6bcf\u65e5 \ud83d\ude00", "steps": [{"type": "agent", "prompt": "a\tb\n\"c\" \/ \\d"}]}`
    expect(requireDefinition(json)).toMatchObject({
      name: '每日 😀',
      steps: [{ prompt: 'a\tb\n"c" / \\d' }],
    })
  })

  it('a prompt of many lines as it is written', () => {
    const text = withSteps(
      '  - type: agent\n    prompt: |\n      # One\n\n        - two: three\n      four\n',
    )
    expect(requireDefinition(text).steps[0]).toMatchObject({ prompt: '# One\n\n  - two: three\nfour\n' })
  })

  it('a prompt that nearly fills the definition', () => {
    expect(problemsOf(withSteps(agent('x'.repeat(99_900))))).toEqual([])
  })
})

/** So many levels of loops around a step. */
function loopsAround(levels: number): string {
  let steps = '{ type: agent, prompt: x }'
  for (let level = 0; level < levels; level++)
    steps = `{ type: loop, until: true, maxIterations: 1, steps: [${steps}] }`
  return `  - ${steps}\n`
}

// the system that this follows passes over what it does not know; a slip that nobody is told of costs more
describe('problems of a definition have their place:', () => {
  it.each<[what: string, text: string, problems: (string | RegExp)[]]>([
    ['no YAML', 'name: [', [/^1:\d+ It is not valid YAML/]],
    ['two of a key', 'name: a\nname: b\nsteps: []', [/^2:1 It has the key "name" twice/]],
    ['no mapping', '- a', [/expected object/]],
    ['nothing', '', [/expected object/]],
    ['no name and no steps', 'description: x', [/"name".*expected string/, /"steps".*expected array/]],
    ['no steps in the list', 'name: a\nsteps: []', [/^2:1 .*"steps"/]],
    ['an unknown key', withSteps(agent('x', ', promt: y')), [/^3:33 At "steps.0": unknown key "promt"/]],
    ['an unknown type', withSteps('  - { type: agnet, prompt: x }'), [/^3:7 .*"steps.0.type"/]],
    ['an agent without a prompt', withSteps('  - type: agent'), [/^3:5 .*"steps.0.prompt"/]],
    ['an approval that asks nothing', withSteps('  - type: approve'), [/what is the person asked/]],
    ['a transform of nothing', withSteps('  - type: transform'), [/"steps.0.transform"/]],
    ['an id that is none', withSteps(agent('x', ", id: 'a b'")), [/"steps.0.id".*must begin with a letter/]],
    ['an id that means something', withSteps(agent('x', ', id: prev')), [/^3:\d+ steps\[0\]\.id is "prev"/]],
    [
      'the same id twice',
      withSteps(agent('x', ', id: a') + agent('y', ', id: a')),
      [/^4:\d+ steps\[1\]\.id is "a", as that of another/],
    ],
    [
      'a step that comes later',
      withSteps(agent('$b.output', ', id: a') + agent('y', ', id: b')),
      [/^3:20 steps\[0\]\.prompt speaks of "\$b"/],
    ],
    [
      'a step of a sibling branch',
      withSteps(
        '  - type: parallel\n    branches:\n      a: [{ id: x, type: agent, prompt: p }]\n      b: [{ type: agent, prompt: $x.output }]',
      ),
      [/^6:\d+ .*speaks of "\$x"/],
    ],
    [
      'a step inside a foreach that is over',
      withSteps(
        '  - type: foreach\n    items: [1]\n    steps: [{ id: x, type: agent, prompt: p }]\n  - { type: agent, prompt: $x.output }',
      ),
      [/^6:\d+ .*speaks of "\$x"/],
    ],
    [
      'an item outside of its foreach',
      withSteps(agent('x', ', condition: $item == 1')),
      [/speaks of "\$item"/],
    ],
    [
      'an unknown arg',
      withSteps(agent('$args.b'), 'args: { a: {} }\n'),
      [/"\$args.b", which is not among the args/],
    ],
    ['an arg that is no mapping', withSteps(agent('x'), 'args: { a: 1 }\n'), [/"args.a".*expected object/]],
    [
      'an unknown question to a step',
      withSteps(agent('x', ', id: a') + agent('y', ', condition: $a.result')),
      [/asks "\$a" for "result"; there is .output/],
    ],
    [
      'an expression that is none',
      withSteps(agent('x', ', condition: a =')),
      [/^3:\d+ steps\[0\]\.condition is no expression/],
    ],
    [
      'a trigger that is never met',
      withSteps(agent('x'), 'triggers: [{ type: document_saved, filter: { folderr: a } }]\n'),
      [/^2:\d+ triggers\[0\] is refused: The filter names "folderr"/],
    ],
    [
      'a trigger that lacks an arg',
      withSteps(agent('x'), 'args: { who: {} }\ntriggers: [{ type: cron, schedule: "@daily" }]\n'),
      [/^3:\d+ triggers\[0\] is refused: The arg "who" has no default/],
    ],
    ['an unknown trigger', withSteps(agent('x'), 'triggers: [{ type: never }]\n'), [/"triggers.0.type"/]],
    [
      'an unknown error strategy',
      withSteps(agent('x'), 'config: { errorStrategy: pray }\n'),
      [/"config.errorStrategy"/],
    ],
    [
      'an unknown workspace mode',
      withSteps(agent('x'), 'config: { workspaceMode: mine }\n'),
      [/^2:11 .*"config.workspaceMode"/],
    ],
    [
      'an output that is cut to nothing',
      withSteps(agent('x'), 'config: { maxStepOutputChars: 0 }\n'),
      [/^2:11 .*"config.maxStepOutputChars"/],
    ],
    [
      'a limit that is a text',
      withSteps(agent('x'), 'config: { maxTotalTimeoutMs: soon }\n'),
      [/"config.maxTotalTimeoutMs".*expected number/],
    ],
    [
      'a setting that is gone',
      withSteps(agent('x'), 'config: { reuseWorkspace: true }\n'),
      [/^2:11 At "config": unknown key "reuseWorkspace"/],
    ],
    [
      'an unknown key at the top',
      withSteps(agent('x'), 'step: []\n'),
      [/^2:1 At the top level: unknown key "step"/],
    ],
    [
      'a merge key, which is no part of YAML 1.2',
      withSteps(agent('x', ', <<: { id: a }')),
      [/unknown key "<<"/],
    ],
    ['a name that is empty', withSteps(agent('x')).replace('demo', '""'), [/^1:1 .*"name"/]],
    [
      'a name that is a number',
      withSteps(agent('x')).replace('demo', '7'),
      [/^1:1 .*"name": expected string; got 7/],
    ],
    ['steps that are no list', 'name: a\nsteps: { a: 1 }', [/^2:1 .*"steps": expected array/]],
    ['a step that is a text', withSteps('  - agent\n'), [/^3:5 .*"steps.0": expected object/]],
    ['a step without a type', withSteps('  - { prompt: x }\n'), [/^3:5 .*"steps.0.type"/]],
    ['an empty prompt', withSteps(agent('')), [/^3:20 .*"steps.0.prompt"/]],
    [
      'a retry after something unknown',
      withSteps(agent('x', ', retryConfig: { maxRetries: 1, retryOn: [moon] }')),
      [/"steps.0.retryConfig.retryOn.0": expected "failed" or "timeout"/],
    ],
    [
      'retries without a number',
      withSteps(agent('x', ', retryConfig: { retryDelayMs: 5 }')),
      [/"steps.0.retryConfig.maxRetries"/],
    ],
    [
      'a negative number of retries',
      withSteps(agent('x', ', retryConfig: { maxRetries: -1 }')),
      [/"steps.0.retryConfig.maxRetries"/],
    ],
    [
      'an unknown linked action',
      withSteps(agent('x', ', linkedActions: [{ type: dance }]')),
      [/"steps.0.linkedActions.0.type"/],
    ],
    [
      'an unknown permission mode',
      withSteps(agent('x', ', sessionConfig: { permissionMode: root }')),
      [/"steps.0.sessionConfig.permissionMode"/],
    ],
    [
      'an output that is no mapping',
      withSteps(agent('x'), 'outputs: { a: text }\n'),
      [/^2:12 .*"outputs.a": expected object/],
    ],
    ['an unknown type of an arg', withSteps(agent('x'), 'args: { a: { type: date } }\n'), [/"args.a.type"/]],
    [
      'a schedule that is none',
      withSteps(agent('x'), 'triggers: [{ type: cron, schedule: daily }]\n'),
      [/^2:26 triggers\[0\]\.schedule is refused: The schedule "daily" has 1 field/],
    ],
    [
      'a schedule that never comes',
      withSteps(agent('x'), "triggers: [{ type: cron, schedule: '0 0 31 2 *' }]\n"),
      [/triggers\[0\]\.schedule is refused/],
    ],
    [
      'a time zone that is none',
      withSteps(agent('x'), 'triggers: [{ type: cron, schedule: "@daily", timezone: Moon/Sea }]\n'),
      [/triggers\[0\]\.schedule is refused: .*Moon/],
    ],
    [
      'a schema that is no object',
      withSteps(agent('x', ', sessionConfig: { outputSchema: { type: string } }')),
      [/outputSchema is refused: .*"type": "object"/],
    ],
    [
      'a schema with a pattern, which could run for ever',
      withSteps(
        agent(
          'x',
          ', sessionConfig: { outputSchema: { type: object, properties: { a: { type: string, pattern: "(a+)+$" } } } }',
        ),
      ),
      [/outputSchema is refused: .*"pattern" is not supported/],
    ],
    [
      'branches without a branch',
      withSteps('  - { type: parallel, branches: {} }\n'),
      [/"steps.0.branches": has no branch/],
    ],
    [
      'a branch without steps',
      withSteps('  - { type: parallel, branches: { a: [] } }\n'),
      [/"steps.0.branches.a"/],
    ],
    ['a branch without cases', withSteps('  - { type: branch, cases: [] }\n'), [/"steps.0.cases"/]],
    [
      'a case without a condition',
      withSteps('  - { type: branch, cases: [{ steps: [{ type: agent, prompt: x }] }] }\n'),
      [/"steps.0.cases.0.when"/],
    ],
    [
      'an item that is called as something else',
      withSteps('  - { type: foreach, items: [1], as: args, steps: [{ type: agent, prompt: x }] }\n'),
      [/^3:34 steps\[0\]\.as is "args", which means something else/],
    ],
    [
      'an item that is called as a step',
      withSteps('  - { type: foreach, items: [1], as: a, steps: [{ id: a, type: agent, prompt: x }] }\n'),
      [/steps\[0\]\.as is "a", the id of a step/],
    ],
    [
      'a list that is no list',
      withSteps('  - { type: foreach, items: 5, steps: [{ type: agent, prompt: x }] }\n'),
      [/"steps.0.items"/],
    ],
    [
      'a step that is not there in a transform',
      withSteps('  - { type: transform, transform: $a.output }\n'),
      [/^3:\d+ steps\[0\]\.transform speaks of "\$a"/],
    ],
    [
      'itself in an input',
      withSteps(agent('x', ', id: a, input: $a.output')),
      [/^3:\d+ steps\[0\]\.input speaks of "\$a"/],
    ],
    [
      'a later step in an input',
      withSteps(agent('x', ', input: { b: [$b.output] }') + agent('y', ', id: b')),
      [/steps\[0\]\.input\.b\[0\] speaks of "\$b"/],
    ],
    [
      'a later step in a condition',
      withSteps(agent('x', ', condition: $b') + agent('y', ', id: b')),
      [/steps\[0\]\.condition speaks of "\$b"/],
    ],
    [
      'a later step by the id it will be given',
      withSteps(agent('$step_2.output') + agent('y')),
      [/speaks of "\$step_2"/],
    ],
    [
      'a step that is not there in a linked action',
      withSteps(agent('x', ', linkedActions: [{ type: notify, params: { body: $b.output } }]')),
      [/steps\[0\]\.linkedActions\[0\]\.params\.body speaks of "\$b"/],
    ],
    [
      'a round outside of its loop',
      withSteps(agent('x', ', condition: $iteration > 1')),
      [/speaks of "\$iteration"/],
    ],
    [
      'what every object has, among the args',
      withSteps(agent('$args.__proto__.x $args.constructor'), 'args: { a: {} }\n'),
      [/"\$args.__proto__", which is not among/, /"\$args.constructor", which is not among/],
    ],
    [
      '__proto__ as a key',
      withSteps(agent('x', ', input: { __proto__: { a: 1 } }')),
      [/^3:\d+ It has the key "__proto__"/],
    ],
    ['a NUL', withSteps('  - { type: agent, prompt: "a\\0b" }\n'), [/^3:20 steps\[0\]\.prompt holds a NUL/]],
    [
      'half of a surrogate pair',
      withSteps('  - { type: agent, prompt: "\\ud800" }\n'),
      [/steps\[0\]\.prompt holds a NUL character or half/],
    ],
    ['a number that JSON does not have', withSteps(agent('x', ', input: .inf')), [/"steps.0.input"/]],
    [
      'something that contains itself',
      '&a\nname: a\nsteps: [{ type: agent, prompt: x, input: *a }]',
      [/^3:42 It uses an alias inside of what it stands for/],
    ],
    [
      'more than 500 steps in all',
      withSteps(
        '  - { type: parallel, branches: { a: [' +
          '{ type: agent, prompt: x },'.repeat(300) +
          '], b: [' +
          '{ type: agent, prompt: x },'.repeat(300) +
          '] } }\n',
      ),
      [/^2:1 steps has 601 steps in all; 500 is the most/],
    ],
    ['two documents', `${withSteps(agent('x'))}---\nname: b\n`, [/^4:1 It has more than one document/]],
    [
      'a loop without an end',
      withSteps('  - type: loop\n    until: true\n    steps: [{ type: agent, prompt: p }]'),
      [/"steps.0.maxIterations"/],
    ],
  ])('%s', (_what, text, expected) => {
    const problems = problemsOf(text)
    expect(problems).toEqual(expected.map((problem) => expect.stringMatching(problem)))
  })

  it('all of it at once', () => {
    const text = withSteps(
      agent('$b.output', ', id: a') + agent('x', ', id: a') + agent('y', ', condition: )'),
    )
    expect(problemsOf(text)).toHaveLength(3)
  })

  it('and a text that is too long or too deep is refused at once', () => {
    expect(problemsOf('x'.repeat(100_001))).toEqual([expect.stringContaining('longer than 100000')])
    let steps = '[{ type: agent, prompt: x }]'
    for (let depth = 0; depth < 12; depth++)
      steps = `[{ type: loop, until: "true", maxIterations: 1, steps: ${steps} }]`
    expect(problemsOf(`name: a\nsteps: ${steps}`)).toEqual([expect.stringContaining('nested deeper than 8')])
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
      .split('')
      .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]`)
      .join('\n')}\nname: *i`
    expect(problemsOf(bomb)).toEqual([expect.stringContaining('aliases')])
  })
})
