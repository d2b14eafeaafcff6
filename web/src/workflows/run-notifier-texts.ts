import { defineTexts } from '../app/texts.ts'

export const runNotifierTexts = defineTexts(
  {
    paused: (name: string) => `Workflow “${name}” needs an answer`,
    completed: (name: string) => `Workflow “${name}” is done`,
    failed: (name: string) => `Workflow “${name}” failed`,
    timeout: (name: string) => `Workflow “${name}” ran out of time`,
    interrupted: (name: string) => `Workflow “${name}” was interrupted`,
    cancelled: (name: string) => `Workflow “${name}” was stopped`,
    open: 'Open',
  },
  {
    paused: (name: string) => `工作流“${name}”需要你答复`,
    completed: (name: string) => `工作流“${name}”已完成`,
    failed: (name: string) => `工作流“${name}”失败`,
    timeout: (name: string) => `工作流“${name}”超时`,
    interrupted: (name: string) => `工作流“${name}”被中断`,
    cancelled: (name: string) => `工作流“${name}”已被停止`,
    open: '打开',
  },
)
