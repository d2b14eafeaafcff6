import { defineTexts } from '../../app/texts.ts'

export const planNotifierTexts = defineTexts(
  {
    executed: (title: string) => `Plan “${title}” is executed`,
    decomposed: (title: string) => `Plan “${title}” is decomposed`,
    failed: (title: string) => `Plan “${title}” is not done`,
    open: 'Open',
  },
  {
    executed: (title: string) => `计划“${title}”已执行完毕`,
    decomposed: (title: string) => `计划“${title}”已拆解`,
    failed: (title: string) => `计划“${title}”未能完成`,
    open: '打开',
  },
)
