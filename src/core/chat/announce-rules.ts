import { matchingRules } from '../prompt/fragments/matching-rules.ts'
import type { PromptContext } from '../prompt/fragment.ts'
import type { Part } from '../protocol/message.ts'
import type { WindowMessage } from '../store/queries/messages.ts'

/** What has to be announced when files were opened; undefined when there is nothing, or all of it was announced. */
export type RuleAnnouncer = (paths: readonly string[]) => string | undefined

/**
 * Rules that hold for certain paths, announced when a tool opens such a file. A rule that the model still sees as it is now, with
 * an input or after an earlier call, is not announced again; what it sees is looked up in what is stored, so that nothing has
 * to be remembered over a crash.
 */
export function createRuleAnnouncer(
  rulesFor: (paths: readonly string[]) => string[],
  window: readonly WindowMessage[],
  parts: readonly Part[],
): RuleAnnouncer {
  const announced: string[] = []
  const isKnown = (rule: string) =>
    announced.includes(rule) ||
    window.some((message) => message.context?.includes(rule) || holds(message.parts, rule)) ||
    holds(parts, rule)
  return (paths) => {
    const rules = rulesFor(paths).filter((rule) => !isKnown(rule))
    announced.push(...rules)
    return matchingRules.render({ matchingRules: rules.join('\n') } as PromptContext)
  }
}

const holds = (parts: readonly Part[], rule: string) =>
  parts.some((part) => typeof part.matchingRules === 'string' && part.matchingRules.includes(rule))
