import type { Words } from '../shell/texts.ts'
import type * as en from './en.ts'

export const markdownTexts: Words<typeof en.markdownTexts> = {
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
}
