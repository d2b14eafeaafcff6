import { defineTexts } from './texts.ts'

export const paletteTexts = defineTexts(
  {
    placeholder: 'Search sessions and commands',
    groups: {
      recent: 'Recent',
      commands: 'Commands',
      pages: 'Pages',
      sessions: 'Sessions',
      messages: 'Messages',
      appearance: 'Theme and language',
    },
    theme: { system: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
    language: { system: 'Language: as the browser', en: 'Language: English', zh: 'Language: 中文' },
    none: 'Nothing found.',
    failed: 'The sessions could not be searched.',
    hint: 'Arrow keys move, Enter chooses, Escape closes.',
  },
  {
    placeholder: '搜索会话和命令',
    groups: {
      recent: '最近使用',
      commands: '命令',
      pages: '页面',
      sessions: '会话',
      messages: '消息',
      appearance: '主题与语言',
    },
    theme: { system: '主题：跟随系统', light: '主题：浅色', dark: '主题：深色' },
    language: { system: '语言：跟随浏览器', en: '语言：English', zh: '语言：中文' },
    none: '没有找到内容。',
    failed: '无法搜索会话。',
    hint: '方向键移动，回车选择，Esc 关闭。',
  },
)
