import type { SettingsSection } from '../shell/settings-section.ts'
import type { SectionName } from './section-name.ts'
import { AboutSection } from './about-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { CommandsSection } from './commands-section.tsx'
import { DataSection } from './data-section.tsx'
import { LocksSection } from './locks-section.tsx'
import { McpSection } from './mcp-section.tsx'
import { ModelsSection } from './models-section.tsx'
import { RulesSection } from './rules-section.tsx'
import { SkillsSection } from './skills-section.tsx'
import { ToolsSection } from './tools-section.tsx'
import { WindowSection } from './window-section.tsx'

/** The first is shown when the URL names none. */
export const sections = [
  { name: 'models', label: { en: 'Models and keys', zh: '模型与密钥' }, View: ModelsSection },
  { name: 'window', label: { en: 'Window defaults', zh: '窗口默认值' }, View: WindowSection },
  { name: 'rules', label: { en: 'Rules', zh: '规则' }, View: RulesSection },
  { name: 'skills', label: { en: 'Skills', zh: '技能' }, View: SkillsSection },
  { name: 'commands', label: { en: 'Commands', zh: '命令' }, View: CommandsSection },
  { name: 'tools', label: { en: 'Tools and permissions', zh: '工具与权限' }, View: ToolsSection },
  { name: 'mcp', label: { en: 'MCP servers', zh: 'MCP 服务器' }, View: McpSection },
  { name: 'locks', label: { en: 'Locks', zh: '锁' }, View: LocksSection },
  { name: 'appearance', label: { en: 'Appearance', zh: '外观' }, View: AppearanceSection },
  { name: 'data', label: { en: 'Import and export', zh: '导入与导出' }, View: DataSection },
  { name: 'about', label: { en: 'About', zh: '关于' }, View: AboutSection },
] as const satisfies readonly (SettingsSection & { name: SectionName })[]
