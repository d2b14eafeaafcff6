import type { ComponentType } from 'react'
import { AboutSection } from './about-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { CommandsSection } from './commands-section.tsx'
import { DataSection } from './data-section.tsx'
import { LocksSection } from './locks-section.tsx'
import { McpSection } from './mcp-section.tsx'
import { ModelsSection } from './models-section.tsx'
import { RulesSection } from './rules-section.tsx'
import type { SectionName } from './settings-texts.ts'
import { SkillsSection } from './skills-section.tsx'
import { ToolsSection } from './tools-section.tsx'
import { WindowSection } from './window-section.tsx'

interface Section {
  name: SectionName
  View: ComponentType
}

/** Every section of the settings: a new one is a file and a line here. The first is shown when the URL names none. */
export const sections: readonly Section[] = [
  { name: 'models', View: ModelsSection },
  { name: 'window', View: WindowSection },
  { name: 'rules', View: RulesSection },
  { name: 'skills', View: SkillsSection },
  { name: 'commands', View: CommandsSection },
  { name: 'tools', View: ToolsSection },
  { name: 'mcp', View: McpSection },
  { name: 'locks', View: LocksSection },
  { name: 'appearance', View: AppearanceSection },
  { name: 'data', View: DataSection },
  { name: 'about', View: AboutSection },
]
