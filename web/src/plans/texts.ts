import { defineTexts } from '../shell/texts.ts'

const texts = defineTexts({ en: () => import('./en.ts'), zh: () => import('./zh.ts') })

export const nodeTexts = texts('nodeTexts')
export const planTexts = texts('planTexts')
export const planNotifierTexts = texts('planNotifierTexts')
export const planRunTexts = texts('planRunTexts')
export const sessionPlanTexts = texts('sessionPlanTexts')
