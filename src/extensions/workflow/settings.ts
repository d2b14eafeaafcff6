import { defineSettings } from '../../core/settings/settings-slice.ts'
import { setting } from '../../core/settings/setting.ts'
import { wholeNumber } from '../../core/settings/values.ts'

export const workflowSettings = defineSettings({
  listedAfter: 'permissions',
  toOptions: ({ workflows }) => ({ workflows }),
  table: {
    'workflows.maxTotalTimeoutMs': setting(wholeNumber(1_000, 2_592_000_000), {
      description: 'How long a workflow may take in all that says nothing else, in milliseconds.',
      default: 24 * 3_600_000,
      project: 'always',
    }),
    'workflows.maxStepOutputChars': setting(wholeNumber(100, 1_000_000), {
      description:
        'Most characters that are kept of the output of a step when the workflow says nothing else.',
      default: 50_000,
      project: 'always',
    }),
    'workflows.approvalTimeoutMs': setting(wholeNumber(1_000, 2_592_000_000), {
      description: 'How long a workflow that says nothing else waits for a person, in milliseconds.',
      default: 24 * 3_600_000,
      project: 'always',
    }),
    'workflows.maxDepth': setting(wholeNumber(1, 20), {
      description: 'How deep workflows may start workflows as their steps.',
      default: 5,
      project: 'always',
    }),
    'workflows.maxRunSteps': setting(wholeNumber(1, 1_000_000), {
      description: 'Most steps of one run of a workflow, each round and each item counted.',
      default: 10_000,
      project: 'always',
    }),
    'workflows.maxOpenRuns': setting(wholeNumber(1, 1_000_000), {
      description: 'Most runs of workflows that are not over, those that are steps of others included.',
      default: 10_000,
    }),
    'workflows.runsKeptDays': setting(wholeNumber(1, 36_500), {
      description: 'For how many days runs of workflows that are over are kept.',
      default: 90,
    }),
  },
})
