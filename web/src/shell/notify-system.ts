import { toVisible } from '../../../src/core/shared/visible.ts'
import { usePreferences } from './preferences.ts'

/** Only after somebody asked for it with a click: a browser that is asked out of the blue refuses for good. */
export async function askForNotifications(): Promise<boolean> {
  if (!('Notification' in window)) return false
  return (await Notification.requestPermission()) === 'granted'
}

/** Whether the person wants to be notified by the system. */
export const mayNotify = () =>
  usePreferences.getState().notifications === 'on' &&
  'Notification' in window &&
  Notification.permission === 'granted'

export function notifySystem(title: string, tag: string, open: () => void): void {
  try {
    const notification = new Notification('Parley', { body: toVisible(title), tag })
    notification.addEventListener('click', () => {
      window.focus()
      notification.close()
      open()
    })
  } catch {
    // phones know notifications of service workers only; the dot and the number remain
  }
}
