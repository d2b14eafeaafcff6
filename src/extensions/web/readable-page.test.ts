import { describe, expect, it } from 'vitest'
import { readPage } from './readable-page.ts'

const sentence =
  'Tides are the rise and fall of sea levels, caused by the gravity of the Moon, of the Sun, and by the turning of the Earth. '
const article = `<!doctype html><html><head><title>Tides | The Almanac</title><style>p {color: red}</style></head><body>
  <header><nav><a href="/">Home</a> <a href="/about">About us</a></nav></header>
  <div class="cookie-banner"><button>Accept all cookies</button></div>
  <main><article><h1>Tides</h1>
    <p>${sentence.repeat(2)}See <a href="../moon?phase=full#top">the Moon</a> and <a href="javascript:steal()">this</a>.</p>
    <h2>How often</h2><p><strong>Twice a day</strong>, as a rule: ${sentence.repeat(3)}</p>
    <ul><li>high water</li><li>low water<ul><li>neap</li></ul></li></ul>
    <pre>if (moon) {\n  rise()\n}</pre><blockquote><p>Time and tide wait for no man, they say, and they are right about that.</p></blockquote>
    <table><tr><th>Port</th><th>Range</th></tr><tr><td>Saint-Malo</td><td>12 m</td></tr></table>
    <p>${sentence.repeat(3)}</p><script>track()</script>
  </article></main>
  <aside class="sidebar related"><h3>Related</h3><a href="/ads">Buy a boat</a></aside>
  <footer>© The Almanac</footer></body></html>`

describe('an article', () => {
  it('is told without what stands around it, with links in full', () => {
    const { title, text } = readPage(article, 'https://almanac.test/sea/tides', 'markdown')
    expect(title).toContain('Tides')
    expect(text).toContain('See [the Moon](https://almanac.test/moon?phase=full#top) and this.')
    expect(text).toContain('## How often')
    expect(text).toContain('**Twice a day**, as a rule')
    expect(text).toMatch(/- high water\n- low water\n\n? {2}- neap/)
    expect(text).toContain('```\nif (moon) {\n  rise()\n}\n```')
    expect(text).toContain('> Time and tide wait')
    expect(text).toContain('Port | Range\nSaint-Malo | 12 m')
    for (const noise of ['About us', 'cookies', 'Buy a boat', 'track()', 'color: red', 'javascript:'])
      expect(text).not.toContain(noise)
  })

  it('has no addresses when it is asked for as text', () => {
    const { text } = readPage(article, 'https://almanac.test/sea/tides', 'text')
    expect(text).toContain('See the Moon and this.')
    expect(text).not.toContain('](')
  })
})

describe('a page that is no article', () => {
  it('is told as a whole', () => {
    const html = `<title> Links </title><base href="https://other.test/a/"><body><h1>Links</h1><p>One <a href="b">two</a></p>
      <form><input value="x"><button>Go</button></form><img src="x.png" alt="A cat"></body>`
    expect(readPage(html, 'https://a.test/', 'markdown')).toEqual({
      title: 'Links',
      text: '# Links\n\nOne [two](https://other.test/a/b)\n\n[image: A cat]',
    })
  })

  it.each([
    ['', ''],
    ['just words', 'just words'],
    ['<p>never closed <b>or <i>nested', 'never closed **or nested**'],
    ['<body></body>', ''],
    [`${'<div>'.repeat(5_000)}deep${'</div>'.repeat(5_000)}`, 'deep'],
    [`${'<a href="/x">'.repeat(2_000)}`, ''],
  ])('whatever it is made of (case %#)', (html, text) => {
    expect(readPage(html, 'https://a.test/', 'markdown').text).toBe(text)
  })
})
