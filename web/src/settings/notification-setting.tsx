import { useState } from 'react'
import { setPreferences, usePreferences } from '../shell/preferences.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { settingsTexts } from './texts.ts'

type Permission = NotificationPermission | 'missing'

const permissionNow = (): Permission => ('Notification' in globalThis ? Notification.permission : 'missing')

/** The browser is asked only when somebody clicks: a question out of nowhere is answered with no, for good. */
export function NotificationSetting() {
  const t = useTexts(settingsTexts)
  const wanted = usePreferences(({ notifications }) => notifications)
  const [permission, setPermission] = useState(permissionNow)
  const isOn = wanted === 'on' && permission === 'granted'
  const turnOn = async () => {
    const answer = await Notification.requestPermission()
    setPermission(answer)
    setPreferences({ notifications: answer === 'granted' ? 'on' : 'off' })
  }
  return (
    <section aria-labelledby="notifications" className="flex flex-col items-start gap-2">
      <h3 id="notifications" className="font-medium">
        {isOn ? t.notificationsAreOn : t.notificationsAreOff}
      </h3>
      <p className="text-sm text-muted">{t.notificationsHint}</p>
      {permission === 'missing' ? (
        <p className="text-sm text-warning">{t.notificationsMissing}</p>
      ) : permission === 'denied' ? (
        <p role="alert" className="text-sm text-warning">
          {t.notificationsBlocked}
        </p>
      ) : (
        <Button onClick={() => (isOn ? setPreferences({ notifications: 'off' }) : void turnOn())}>
          {isOn ? t.notificationsOff : t.notificationsOn}
        </Button>
      )}
    </section>
  )
}
