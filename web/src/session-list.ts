import type { Session } from './api.ts'
import { element } from './element.ts'
import type { Texts } from './texts.ts'

export function sessionList(sessions: Session[], texts: Texts): HTMLElement {
  if (sessions.length === 0) return element('p', { class: 'note' }, texts.empty)
  return element('ul', { class: 'sessions' }, ...sessions.map((session) => sessionItem(session, texts)))
}

function sessionItem(session: Session, texts: Texts): HTMLElement {
  const facts = [texts.kinds[session.kind] ?? session.kind, texts.messages(session.messageCount)]
  return element(
    'li',
    {},
    element('span', { class: 'title' }, session.title || texts.untitled),
    element('code', {}, session.id),
    element('span', { class: 'facts' }, `${facts.join(' · ')} · `, updatedAt(session.updatedAt, texts)),
  )
}

function updatedAt(value: string, texts: Texts): HTMLElement {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return element('span', {}, String(value))
  const format = new Intl.DateTimeFormat(texts.language, { dateStyle: 'medium', timeStyle: 'short' })
  return element('time', { datetime: date.toISOString() }, format.format(date))
}
