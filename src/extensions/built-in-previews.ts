import { previewTexts, previewWords } from './plan/protocol/preview-texts.ts'

/** How fields of `builtInApprovalFields` are said to the person who is asked. */
export const builtInPreviews = { planRun: { texts: previewTexts, words: previewWords } } as const
