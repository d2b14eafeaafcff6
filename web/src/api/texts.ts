import { defineTexts, type WordsOf } from '../shell/texts.ts'

const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })

export const issueTexts = texts('issueTexts')

export type IssueTexts = WordsOf<typeof issueTexts>
