/** A status page until the workbench comes: is the server well, and what are its newest sessions? */
import { apiKey, fetchHealth, fetchSessions, KeyWanted } from './api.ts'
import { button, element } from './element.ts'
import { keyForm } from './key-form.ts'
import { sessionList } from './session-list.ts'
import { textsFor } from './texts.ts'

const sessionLimit = 20
const texts = textsFor(navigator.language)

const version = element('span', { class: 'version' })
const health = element('p', { class: 'health', role: 'status' })
const sessions = element('div', { 'aria-live': 'polite' })

document.documentElement.lang = texts.language
document.body.append(
  element(
    'main',
    {},
    element(
      'header',
      {},
      element('h1', {}, 'Parley ', version),
      element('p', { class: 'note' }, texts.tagline),
    ),
    health,
    element(
      'section',
      { 'aria-labelledby': 'sessions' },
      element(
        'div',
        { class: 'bar' },
        element('h2', { id: 'sessions' }, texts.sessions),
        button(texts.refresh, show),
      ),
      sessions,
    ),
    element(
      'nav',
      {},
      element('a', { href: 'docs' }, texts.docs),
      element('a', { href: 'openapi.json' }, texts.openapi),
    ),
  ),
)
show()

function show() {
  void showHealth()
  void showSessions()
}

async function showHealth() {
  setHealth('loading', texts.healthLoading)
  try {
    const answer = await fetchHealth()
    version.textContent = answer.version
    setHealth('ok', texts.healthy)
  } catch {
    version.textContent = ''
    setHealth('failed', texts.unhealthy)
  }
}

function setHealth(state: 'loading' | 'ok' | 'failed', text: string) {
  health.dataset.state = state
  health.textContent = text
}

async function showSessions() {
  sessions.replaceChildren(element('p', { class: 'note' }, texts.loading))
  try {
    sessions.replaceChildren(sessionList(await fetchSessions(sessionLimit), texts))
  } catch (error) {
    sessions.replaceChildren(error instanceof KeyWanted ? askForKey() : failure(error))
  }
}

function askForKey(): HTMLElement {
  const note = apiKey.get() === null ? texts.keyWanted : texts.keyRefused
  apiKey.clear()
  return keyForm(texts, note, (key) => {
    apiKey.set(key)
    show()
  })
}

function failure(error: unknown): HTMLElement {
  const reason = error instanceof Error ? error.message : String(error)
  const text = element('p', { class: 'error', role: 'alert' }, texts.failed(reason))
  return element('div', {}, text, button(texts.retry, show))
}
