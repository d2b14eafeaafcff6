/** The page of the frame that draws one diagram. It talks to the page around it and to nobody else. */
import mermaid from 'mermaid'
import './diagram.css'
import type { DiagramAnswer, DiagramRequest } from './messages.ts'

const place = document.getElementById('diagram')!
// a diagram that is larger than this is meant to cover the page
const maxHeight = 2_000
const maxCharacters = 50_000
// pictures, styles and markup of its own: a diagram that wants them is shown as the text that it is
const reachesOut = /\bimg\s*:|<\s*[a-z!/?](?!r\s*\/?>)|url\s*\(|@import|javascript:|\bclick\b|themeCSS/i

const tell = (answer: DiagramAnswer) => window.parent.postMessage(answer, location.origin)

async function draw({ code, theme }: DiagramRequest): Promise<void> {
  document.documentElement.dataset.theme = theme
  if (reachesOut.test(code)) return tell({ type: 'failed' })
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: theme === 'dark' ? 'dark' : 'default',
    maxTextSize: maxCharacters,
    // words as words, not as elements of a page
    htmlLabels: false,
    suppressErrorRendering: true,
    // directives in the text must not undo what is set here
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'htmlLabels',
      'flowchart',
      'suppressErrorRendering',
      'themeCSS',
      'fontFamily',
    ],
  })
  const { svg } = await mermaid.render('drawing', code)
  place.replaceChildren(...new DOMParser().parseFromString(svg, 'text/html').body.childNodes)
  tellHeight()
}

function tellHeight(): void {
  tell({ type: 'drawn', height: Math.min(Math.ceil(place.getBoundingClientRect().height), maxHeight) })
}

let last: Promise<void> = Promise.resolve()
window.addEventListener('message', ({ origin, source, data }: MessageEvent<DiagramRequest>) => {
  if (origin !== location.origin || source !== window.parent || data.type !== 'draw') return
  last = last.then(() => draw(data)).catch(() => tell({ type: 'failed' }))
})
window.addEventListener('resize', () => place.childElementCount > 0 && tellHeight())
tell({ type: 'ready' })
