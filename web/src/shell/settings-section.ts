import type { ComponentType } from 'react'
import type { Name } from './texts.ts'

/** One section of the settings page. */
export interface SettingsSection {
  /** In the URL: `?section=models`. */
  name: string
  label: Name
  View: ComponentType
}
