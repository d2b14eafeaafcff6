/** The format of definitions, for a model that writes one. A test checks it against the parser. */
export const workflowFormat = `A definition is YAML. Example:

\`\`\`yaml
name: announce
description: Drafts an announcement and publishes it when somebody said yes.
args:
  subject: { description: What is announced, type: string }
  tone: { default: friendly }
config: { errorStrategy: fail_fast }
steps:
  - id: research
    type: parallel
    branches:
      facts: [{ id: facts, type: agent, prompt: 'Collect facts about $args.subject.' }]
      people: [{ id: people, type: agent, prompt: 'Who should hear of $args.subject?' }]
  - id: polish
    type: loop
    until: $review.data.verdict == 'pass'
    maxIterations: 3
    steps:
      - id: draft
        type: agent
        prompt: 'Write it in a $args.tone tone from these facts: $facts.output. Mend: $review.data.mustFix'
      - id: review
        type: agent
        prompt: 'Judge this: $draft.output'
        sessionConfig:
          outputSchema:
            type: object
            properties: { verdict: { enum: [pass, fail] }, mustFix: { type: array, items: { type: string } } }
            required: [verdict, mustFix]
  - id: ok
    type: approve
    approvePrompt: 'Publish this? $draft.output'
  - id: publish
    type: transform
    transform: $draft.output
    linkedActions:
      - { type: create_document, params: { title: $args.subject, content: $publish.output } }
\`\`\`

Steps run one after the other. Every step has: type, id, description, condition (skipped where false), input (default: what the previous completed step said; the first gets the args), linkedActions (create_todo, update_todo, create_document, update_schedule, notify; done when it succeeded).
- agent: prompt, model, timeoutMs, retryConfig { maxRetries, retryDelayMs, backoff, retryOn }, sessionConfig { systemPrompt, model, thinking, skills, allowedTools, toolGroups, permissionMode, maxTurns, memoryPolicy, expectedOutputFormat, outputSchema }
- approve: approvePrompt, onReject (fail, continue), timeoutMs; a person says yes or no; it hands on what it was given
- transform: a dot path into the input, or a text with names; no model
- workflow: workflow (name of another), args, timeoutMs, retryConfig
- parallel: branches { name: [steps] }, maxConcurrency
- foreach: items (a list or an expression), as (default item), steps, maxConcurrency, maxItems
- branch: cases [{ when, steps }], else
- loop: steps, until, maxIterations, onLimit (fail, continue), stopWhenRepeated

Names: $args.x, $prev.output, $id.output, $id.data.x (structured result), $id.approved, $id.status, $id.error; in foreach $item and $index, in loop $iteration. A step can speak only of earlier ones. Expressions (condition, when, until, items): == != < <= > >= contains and or not ( ). $$ is a dollar.
Top level: name, description, args { name: { description, type, default } }, outputs { name: { type, description } } (what the last step hands in), config { maxTotalTimeoutMs, errorStrategy (fail_fast, continue), workspaceMode (dual, shared, isolated), maxStepOutputChars, approvalTimeoutMs, countsPauses, notifyOnComplete, notifyOnFail, tags }, triggers [{ type: cron, schedule, timezone, args } or { type: document_saved | todo_completed | schedule_remind, filter, args }], steps.
Unknown keys are refused. Where a verdict decides what happens next, have it handed in by an outputSchema rather than read out of a text.`
