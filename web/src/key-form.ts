import { element } from './element.ts'
import type { Texts } from './texts.ts'

/** Asks for the API key; `note` says why. */
export function keyForm(texts: Texts, note: string, submit: (key: string) => void): HTMLElement {
  const input = element('input', { type: 'password', id: 'key', required: '', autocomplete: 'off' })
  const form = element(
    'form',
    {},
    element('p', { class: 'note' }, note),
    element('label', { for: 'key' }, texts.key),
    input,
    element('button', { type: 'submit' }, texts.keySubmit),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit(input.value.trim())
  })
  return form
}
