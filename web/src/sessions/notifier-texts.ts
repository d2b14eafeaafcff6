import { defineTexts } from '../app/texts.ts'

export const notifierTexts = defineTexts(
  {
    answered: (title: string) => `“${title}” has answered`,
    failed: (title: string) => `“${title}” failed`,
    taskDone: (title: string) => `Task “${title}” is done`,
    taskDegraded: (title: string) => `Task “${title}” ended without a proper result`,
    taskFailed: (title: string) => `Task “${title}” failed`,
    asks: (title: string) => `“${title}” needs an answer`,
    taskAsks: (title: string) => `Task “${title}” needs an answer`,
    open: 'Open',
  },
  {
    answered: (title: string) => `“${title}”已有回答`,
    failed: (title: string) => `“${title}”运行失败`,
    taskDone: (title: string) => `任务“${title}”已完成`,
    taskDegraded: (title: string) => `任务“${title}”已结束，但没有提交正式结果`,
    taskFailed: (title: string) => `任务“${title}”失败`,
    asks: (title: string) => `“${title}”需要你答复`,
    taskAsks: (title: string) => `任务“${title}”需要你答复`,
    open: '打开',
  },
)
