import { defineTexts } from '../app/texts.ts'

export const markdownTexts = defineTexts(
  {
    image: 'Image',
    remoteImage: (name: string, host: string) => `${name} · opens ${host}`,
    code: 'Code',
    table: 'Table',
    footnotes: 'Footnotes',
    backToText: 'Back to the text',
    done: 'Done',
    open: 'Open',
    copyCode: 'Copy code',
    copyTable: 'Copy table as Markdown',
    diagram: 'Diagram',
    diagramCode: 'Show code',
    diagramDrawn: 'Show diagram',
  },
  {
    image: '图片',
    remoteImage: (name: string, host: string) => `${name} · 打开 ${host}`,
    code: '代码',
    table: '表格',
    footnotes: '脚注',
    backToText: '回到正文',
    done: '已完成',
    open: '未完成',
    copyCode: '复制代码',
    copyTable: '以 Markdown 复制表格',
    diagram: '图表',
    diagramCode: '显示代码',
    diagramDrawn: '显示图表',
  },
)
