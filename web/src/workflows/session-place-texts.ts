import { defineTexts } from '../app/texts.ts'

export const sessionPlaceTexts = defineTexts(
  {
    label: 'Where it belongs',
    step: (step: string, name: string) => `Step “${step}” in a run of the workflow “${name}”.`,
    run: (name: string) => `The session of a run of the workflow “${name}”.`,
    workflow: (name: string) => `The chat that edits the workflow “${name}”.`,
    newWorkflow: 'A chat that will make a workflow.',
    openRun: 'Open the run',
    openWorkflow: 'Open the workflow',
    runRow: 'Workflow run',
    sessions: (count: number) => (count === 1 ? '1 session' : `${count} sessions`),
  },
  {
    label: '所属位置',
    step: (step: string, name: string) => `工作流“${name}”某次运行中的步骤“${step}”。`,
    run: (name: string) => `工作流“${name}”一次运行的会话。`,
    workflow: (name: string) => `用于编辑工作流“${name}”的对话。`,
    newWorkflow: '将创建一个工作流的对话。',
    openRun: '打开运行',
    openWorkflow: '打开工作流',
    runRow: '工作流运行',
    sessions: (count: number) => `${count} 个会话`,
  },
)
