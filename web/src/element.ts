type Attributes = Record<string, string>

/** Builds an element. Text goes in as text, so nothing a session holds can become markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
  node.append(...children)
  return node
}

export function button(label: string, perform: () => void): HTMLButtonElement {
  const node = element('button', { type: 'button' }, label)
  node.addEventListener('click', perform)
  return node
}
