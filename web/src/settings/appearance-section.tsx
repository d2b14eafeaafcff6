import { setPreferences, usePreferences } from '../shell/preferences.ts'
import { useTexts } from '../shell/texts.ts'
import { ChoiceGroup } from './choice-group.tsx'
import { NotificationSetting } from './notification-setting.tsx'
import { settingsTexts } from './texts.ts'

export function AppearanceSection() {
  const t = useTexts(settingsTexts)
  const { theme, language, whileRunning } = usePreferences()
  return (
    <>
      <p className="text-muted">{t.browserOnly}</p>
      <ChoiceGroup
        label={t.theme}
        value={theme}
        options={t.themes}
        onChange={(choice) => setPreferences({ theme: choice })}
      />
      <ChoiceGroup
        label={t.language}
        value={language}
        options={t.languages}
        onChange={(choice) => setPreferences({ language: choice })}
      />
      <ChoiceGroup
        label={t.whileRunning}
        hint={t.whileRunningHint}
        value={whileRunning}
        options={t.whileRunningChoices}
        onChange={(choice) => setPreferences({ whileRunning: choice })}
      />
      <NotificationSetting />
    </>
  )
}
