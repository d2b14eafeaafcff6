import type { CommandOutcome } from '../mode.ts'
import { boundedEnd } from './bounded.ts'
import type { Review, TestPlan } from './verdicts.ts'
import type { WorkflowTexts } from './texts-en.ts'

/** A heading and what is under it; without that, the heading is left out too. */
export type Section = readonly [heading: string, text: string]

export const toSections = (sections: readonly (Section | string)[]): string =>
  sections
    .map((section) => (typeof section === 'string' ? section : toSection(section)))
    .filter((text) => text !== '')
    .join('\n\n')

const toSection = ([heading, text]: Section) => (text === '' ? '' : `## ${heading}\n${text}`)

export const toLines = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

/** A review as people read it. */
export const toReviewText = ({ review, headings }: WorkflowTexts, verdict: Review): string =>
  toSections([
    review[verdict.decision],
    [headings.mustFix, toLines(verdict.must_fix)],
    [headings.niceToHave, toLines(verdict.nice_to_have)],
    [headings.tests, toLines(verdict.tests)],
    [headings.security, toLines(verdict.security)],
  ])

export const toPlanText = ({ headings }: WorkflowTexts, plan: TestPlan): string =>
  toSections([
    plan.test_plan,
    [headings.commands, toLines(plan.commands.map((command) => `\`${command}\``))],
    [headings.expected, toLines(plan.expected_results)],
  ])

/** What came of commands, with what those wrote that did not pass. */
export const toTestLines = (
  { test }: WorkflowTexts,
  outcomes: readonly CommandOutcome[],
  maxOutput = Infinity,
): string =>
  outcomes
    .map(({ command, status, reason, exitCode, output = '' }) => {
      const detail = reason ?? (status === 'failed' && exitCode !== undefined ? String(exitCode) : undefined)
      const line = `- \`${command}\`: ${test(status, detail)}`
      if (status === 'passed' || output.trim() === '') return line
      return `${line}\n${indent(boundedEnd(output.trim(), maxOutput))}`
    })
    .join('\n')

const indent = (text: string) => text.replaceAll(/^/gm, '    ')
