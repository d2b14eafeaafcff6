import katex from 'katex'
import remarkMath from 'remark-math'
import type { Pluggable } from 'unified'
import 'katex/dist/katex.min.css'

/** Finds formulas in a text and leaves them as code; `Formula` draws them. One dollar is money. */
export const math: Pluggable = [remarkMath, { singleDollarTextMath: false }]

/**
 * Draws a formula into an element, and answers whether it could. It sets styles one by one, where parsing markup would fall foul of the page's policy;
 * commands that reach out of the formula are refused by `trust`.
 */
export function drawFormula(tex: string, element: HTMLElement, displayMode: boolean): boolean {
  try {
    katex.render(tex, element, {
      displayMode,
      throwOnError: true,
      errorColor: 'var(--danger)',
      trust: false,
      strict: 'ignore',
      // what is larger than this is meant to cover the page; what expands further is meant to hang it
      maxSize: 20,
      maxExpand: 500,
    })
    return true
  } catch {
    return false // not a formula after all
  }
}
