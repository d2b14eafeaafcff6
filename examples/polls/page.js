/** Draws polls into the workbench. `host` provides the client with the viewer's key, the scope, the path and the language. */
export function mount(element, host) {
  let isLeft = false

  const ask = (method, path, input = {}) =>
    host.client.request(
      method,
      path,
      method === 'GET' ? { query: { scope: host.scope } } : { json: input, query: { scope: host.scope } },
    )

  const draw = async () => {
    const { items } = await ask('GET', '/api/polls')
    if (isLeft) return
    element.replaceChildren(
      ...(items.length > 0 ? items.map(drawPoll) : [make('p', 'There are no polls yet.')]),
    )
  }

  const drawPoll = ({ id, question, choices, isOpen }) => {
    const section = make('section')
    section.append(make('h2', question))
    for (const { text, votes } of choices) {
      const button = make('button', `${text} · ${votes}`)
      button.disabled = !isOpen
      button.addEventListener('click', () =>
        ask('POST', `/api/polls/${id}/vote`, { choice: text }).then(draw, show),
      )
      section.append(button)
    }
    return section
  }

  const show = (error) => element.prepend(make('p', error.message))
  const end = host.subscribe(() => void draw().catch(show))
  draw().catch(show)
  return () => {
    isLeft = true
    end()
  }
}

/** Text, never markup: a question may come from anybody. */
function make(name, text = '') {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
