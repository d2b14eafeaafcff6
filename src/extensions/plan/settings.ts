import { maxTimeoutMs } from '../../core/protocol/background.ts'
import { defineSettings, type GivenSettings } from '../../core/settings/settings-slice.ts'
import { setting } from '../../core/settings/setting.ts'
import { amount, onOff, wholeNumber } from '../../core/settings/values.ts'

export const planSettings = defineSettings({
  listedAfter: 'permissions',
  toOptions: ({ plans }) => ({ plans }),
  check: fitToBackground,
  table: {
    'plans.maxParallel': setting(wholeNumber(1, 100), {
      description: 'Most nodes of one plan that are done at once.',
      default: 5,
      project: 'always',
    }),
    'plans.nodeRetries': setting(wholeNumber(0, 10), {
      description: 'How often a node of a plan that failed is tried again.',
      default: 2,
      project: 'always',
    }),
    'plans.nodeTimeoutMs': setting(wholeNumber(1_000, maxTimeoutMs), {
      description: 'How long one node of a plan may take, in milliseconds.',
      default: 600_000,
      project: 'always',
    }),
    'plans.runTimeoutMs': setting(wholeNumber(1_000, 2_592_000_000), {
      description: 'How long a run of a plan may take in all, in milliseconds.',
      default: 24 * 3_600_000,
      project: 'always',
    }),
    'plans.maxRunTokens': setting(wholeNumber(1, 1_000_000_000_000), {
      description:
        'Most tokens that one run of a plan may use; then it stops, and what is not done waits. Whoever starts a run can set less. Without it there is no limit.',
    }),
    'plans.maxRunCost': setting(amount, {
      description:
        'The same as an amount of money, by the prices of models; models without a price count as free. With a limit and no `prices` at all, no run is started.',
    }),
    'plans.maxFollowUps': setting(wholeNumber(0, 100), {
      description: 'Most answers in a row that results of actions alone ask a model for.',
      default: 3,
      project: 'always',
    }),
    'plans.resultTokens': setting(wholeNumber(200, 10_000), {
      description:
        'Most tokens of the report that is written when a plan was executed; the model that requested it reads it.',
      default: 4_000,
      project: 'always',
    }),
    'plans.runsKeptDays': setting(wholeNumber(1, 36_500), {
      description: 'For how many days finished runs of plans are kept; results of nodes stay.',
      default: 90,
    }),
    'plans.autoDecompose': setting(onOff, {
      description: 'Take a plan that a model makes apart into nodes at once.',
      default: true,
      project: 'always',
    }),
  },
})

export interface Limits {
  plans: { maxParallel: number }
  background: { maxPerParent: number; maxGlobal: number }
}

/** Nodes of plans are tasks: what the background does not let run at once is refused, and the default gives way to it. */
function fitToBackground({ plans, background }: Limits, { nameOf, refuse }: GivenSettings): void {
  const key = 'plans.maxParallel'
  const { maxPerParent, maxGlobal } = background
  const [most, limit] =
    maxPerParent <= maxGlobal
      ? [maxPerParent, 'background.maxPerParent']
      : [maxGlobal, 'background.maxGlobal']
  if (plans.maxParallel <= most) return
  const name = nameOf(key)
  if (name === undefined) plans.maxParallel = most
  else
    refuse(
      key,
      `${name} is ${plans.maxParallel}, but ${limit} lets ${most} tasks run at once. Use ${most} or less, or raise ${limit}.`,
    )
}
