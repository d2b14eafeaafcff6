import { execFile } from 'node:child_process'
import type { RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createWebTools, type WebDeps, type WebSettings } from '../src/extensions/web/web-tools.ts'
import { follow, runTool, startSite } from './web-sites.ts'

/** What `web_fetch` answers. */
interface Page {
  text: string
  totalCharacters: number
  nextOffset?: number
}

const resolve = async () => ['127.0.0.1']

/** A site that may be read, and a way to read it. */
async function openSite(answer: RequestListener, settings: WebSettings = {}) {
  const site = await startSite(answer)
  const [tool] = createWebTools({ allowPrivate: ['site.test'], ...settings }, { resolve })
  const read = (path = '/', input: object = {}, signal?: AbortSignal) =>
    runTool(
      tool!,
      { url: `http://site.test:${site.port}${path}`, ...input },
      signal && { signal },
    ) as Promise<Page>
  return { ...site, tool: tool!, read }
}

describe('web_fetch', () => {
  it('reads the article of a page as Markdown', async () => {
    const prose = 'Bread is made of flour, water and salt, and of time, which no baker can do without. '
    const { read, port } = await openSite((_request, response) =>
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(
          `<html><head><title>Bread</title></head><body><nav><a href="/">Home</a></nav><article><h1>Bread</h1>` +
            `<p>${prose.repeat(5)}</p><p>Read on <a href="rye">about rye</a>. ${prose.repeat(5)}</p></article></body></html>`,
        ),
    )
    const page = await read('/food/bread')
    expect(page).toMatchObject({ url: `http://site.test:${port}/food/bread`, status: 200, title: 'Bread' })
    expect(page.text).toContain(`[about rye](http://site.test:${port}/food/rye)`)
    expect(page.text).not.toContain('Home')
    expect((await read('/food/bread', { format: 'text' })).text).toContain('Read on about rye.')
    expect((await read('/food/bread', { format: 'raw' })).text).toContain('<p>Bread is made')
  })

  it('says nothing about whoever asks', async () => {
    const { read } = await openSite(({ method, headers }, response) =>
      response.setHeader('set-cookie', 'id=1').end(JSON.stringify({ method, headers })),
    )
    await read()
    const { method, headers } = JSON.parse((await read()).text)
    expect(method).toBe('GET')
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
    expect(headers['user-agent']).toMatch(/Parley/)
  })

  it('uses no proxy of the environment', async () => {
    const { port, connections } = await openSite((_request, response) => response.end('straight'))
    const proxy = await startSite((_request, response) => response.end('through a proxy'))
    const program = `
      import { createWebTools } from ${JSON.stringify(join(import.meta.dirname, '../src/extensions/web/web-tools.ts'))}
      const [tool] = createWebTools({ allowPrivate: ['site.test'] }, { resolve: async () => ['127.0.0.1'] })
      const { text } = await tool.execute({ url: 'http://site.test:${port}/' }, { signal: new AbortController().signal })
      process.stdout.write(text)`
    const address = `http://127.0.0.1:${proxy.port}`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module-typescript', '-e', program],
      { env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address, NO_PROXY: '' } },
    )
    expect(stdout).toBe('straight')
    expect(connections()).toBe(1)
    expect(proxy.connections()).toBe(0)
  })

  it('reads a long text in pieces that make up the whole', async () => {
    const whole = '🙂é'.repeat(5_000)
    const { read } = await openSite((_request, response) => response.end(whole), { maxCharacters: 1_000 })
    let text = ''
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page: Page = await read('/', { offset })
      expect(page.totalCharacters).toBe(whole.length)
      expect(page.text.length).toBeLessThanOrEqual(1_000)
      text += page.text
      offset = page.nextOffset
    }
    expect(text).toBe(whole)
    await expect(read('/', { offset: whole.length })).rejects.toThrow('"offset" must be less')
  })

  it.each([
    ['gzip', gzipSync('packed')],
    ['x-gzip', gzipSync('packed')],
    ['br', brotliCompressSync('packed')],
    ['deflate', deflateSync('packed')],
    ['GZIP', gzipSync('packed')],
  ])('unpacks %s', async (encoding, body) => {
    const { read } = await openSite((_request, response) =>
      response.setHeader('content-encoding', encoding).end(body),
    )
    expect((await read()).text).toBe('packed')
  })

  it.each(['zip', 'gzip, gzip', 'compress'])('refuses what is packed as %s', async (encoding) => {
    const { read } = await openSite((_request, response) =>
      response.setHeader('content-encoding', encoding).end(gzipSync(gzipSync('x'))),
    )
    await expect(read()).rejects.toThrow('cannot be unpacked')
  })

  it.each([
    ['application/json', '{"a": 1}'],
    ['application/ld+json; charset=utf-8', '{}'],
    ['application/vnd.api+json', '{}'],
    ['application/xml', '<a/>'],
    ['application/rss+xml', '<rss/>'],
    ['text/markdown', '# x'],
    ['TEXT/PLAIN', 'x'],
    ['', 'plain'],
  ])('reads %j', async (type, body) => {
    const { read } = await openSite((_request, response) =>
      response.setHeader('content-type', type).end(body),
    )
    expect(await read()).toMatchObject({ contentType: type, text: body })
  })

  it.each([
    'application/pdf',
    'image/png',
    'application/octet-stream',
    'video/mp4',
    'application/zip',
    'nonsense',
  ])('refuses %s without reading it', async (type) => {
    const { read } = await openSite((_request, response) =>
      response.writeHead(200, { 'content-type': type }).write('x'),
    )
    await expect(read()).rejects.toThrow(`The page is "${type}", which is not text`)
  })

  it('refuses bytes that do not say what they are and are not text', async () => {
    const { read } = await openSite((_request, response) => response.end(Buffer.from([0x7f, 0x45, 0, 1])))
    await expect(read()).rejects.toThrow('it is not text')
  })

  it('tells a page of an error as it is', async () => {
    const { read } = await openSite((_request, response) => response.writeHead(404).end('no such page'))
    expect(await read()).toMatchObject({ status: 404, text: 'no such page' })
  })

  it('gives nothing that could not be stored', async () => {
    const { read } = await openSite((_request, response) =>
      response
        .setHeader('content-type', 'text/plain; charset=utf-16le')
        .end(Buffer.from('a\0b\ud83dc', 'utf16le')),
    )
    expect((await read()).text).toBe('ab\ufffdc')
  })

  it('follows five redirects and no more', async () => {
    const { read, port, connections } = await openSite(({ url }, response) => {
      const left = Number(url!.slice(1))
      if (left === 0) response.end('there')
      else response.writeHead(302, { location: String(left - 1) }).end('elsewhere')
    })
    expect(await read('/5')).toMatchObject({ url: `http://site.test:${port}/0`, text: 'there' })
    const before = connections()
    await expect(read('/1000')).rejects.toThrow('redirects more than 5 times')
    expect(connections() - before).toBe(6)
  })

  it('asks by the name of the host, with TLS too, and wants a certificate of that name', async () => {
    const names: (string | false | undefined)[] = []
    const server = createServer({
      SNICallback: (name, done) => {
        names.push(name)
        done(new Error('no certificate'))
      },
    })
    const { port } = await follow(server as never, '127.0.0.1')
    const [tool] = createWebTools({ allowPrivate: ['site.test'] }, { resolve })
    await expect(runTool(tool!, { url: `https://site.test.:${port}/` })).rejects.toThrow('could not be read')
    expect(names).toEqual(['site.test'])
  })

  it('says what a call would do by the URL that would be asked for', async () => {
    const { tool } = await openSite(() => {})
    const access = (url: string) => tool.access!({ url }, { granted: [] })
    expect(access('HTTPS://Example.COM\\@evil.test/../a b')).toEqual({
      action: 'fetch',
      effect: 'network',
      resources: ['https://example.com/@evil.test/../a%20b'].map((url) => new URL(url).href),
    })
    expect(access('https://evil.test./x#y').resources).toEqual(['https://evil.test/x'])
    expect(access('no url').resources).toEqual(['no url'])
  })
})

describe('a page that is made to hurt', () => {
  it('is cut where it is too long: an endless body', async () => {
    const { read } = await openSite(
      (_request, response) => {
        const chunk = 'x'.repeat(65_536)
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        }
        response.on('drain', more)
        more()
      },
      { maxBytes: 1_000_000 },
    )
    expect(await read()).toMatchObject({
      totalCharacters: 1_000_000,
      note: 'Only the first 1000000 bytes of the page were read.',
    })
  })

  it('is cut where it is too long: one that unpacks to a thousand times its size', async () => {
    const { read } = await openSite(
      (_request, response) => {
        response.setHeader('content-encoding', 'gzip')
        const gzip = createGzip()
        gzip.pipe(response)
        const zeros = Buffer.alloc(1_048_576, 0x61)
        let left = 512
        const more = () => {
          while (left-- > 0) if (!gzip.write(zeros)) return void gzip.once('drain', more)
          gzip.end()
        }
        more()
        response.on('close', () => gzip.destroy())
      },
      { maxBytes: 1_000_000 },
    )
    expect((await read()).totalCharacters).toBe(1_000_000)
  })

  it.each([
    ['its head does not come', () => {}],
    ['its body does not end', (_: unknown, response: ServerResponse) => void response.write('x')],
  ])('is given up when %s', async (_name, answer) => {
    const { read } = await openSite(answer as RequestListener, { timeoutMs: 300 })
    await expect(read()).rejects.toThrow('The page took longer than 300 ms')
  })

  it('is given up when its body comes byte by byte', async () => {
    const { read } = await openSite(
      (_request, response) => {
        const timer = setInterval(() => response.write('x'), 20)
        response.on('close', () => clearInterval(timer))
      },
      { timeoutMs: 300 },
    )
    await expect(read()).rejects.toThrow('The page took longer than 300 ms')
  })

  it('is given up when its name is never answered', async () => {
    const [tool] = createWebTools({ timeoutMs: 200 }, { resolve: () => new Promise(() => {}) })
    await expect(runTool(tool!, { url: 'http://slow.test/' })).rejects.toThrow('longer than 200 ms')
  })

  it('keeps nobody else waiting, however complicated it is', async () => {
    const html = '<div><p>a, b, c, d'.repeat(200_000)
    const answer: RequestListener = (_request, response) =>
      response.setHeader('content-type', 'text/html').end(html)
    const { read } = await openSite(answer, { timeoutMs: 1_500 })
    let beats = 0
    const heart = setInterval(() => beats++, 10)
    await read().catch((error: Error) => expect(error.message).toMatch(/longer than|too complicated/))
    clearInterval(heart)
    expect(beats).toBeGreaterThan(10)
    const patient = await openSite(answer)
    expect((await patient.read('/', { format: 'raw' })).totalCharacters).toBe(html.length)
  })

  it('waits for others when many are asked for at once', async () => {
    const { read } = await openSite(({ url }, response) =>
      response.setHeader('content-type', 'text/html').end(`<p>page ${url}`),
    )
    const pages = await Promise.all(Array.from({ length: 12 }, (_, number) => read(`/${number}`)))
    expect(pages.map(({ text }) => text)).toEqual(pages.map((_, number) => `page /${number}`))
  })

  it('ends with the turn that asked for it', async () => {
    const closed = Promise.withResolvers<void>()
    const stop = new AbortController()
    const { read } = await openSite((_request, response) => {
      response.on('close', closed.resolve)
      response.write('x')
      stop.abort()
    })
    await expect(read('/', {}, stop.signal)).rejects.toThrow()
    await closed.promise
  })

  it.each([
    ['not HTTP at all', 'nonsense\r\n\r\n'],
    ['a head that is too long', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['a body shorter than announced', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'],
    [
      'a packed body that is broken',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd',
    ],
    ['a redirect to nowhere', 'HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('is an error that says so: %s', async (_name, bytes) => {
    const server = createTcpServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.end(bytes)),
    )
    const { port } = await follow(Object.assign(server, { closeAllConnections() {} }) as never, '127.0.0.1')
    const [tool] = createWebTools({ allowPrivate: ['site.test'], timeoutMs: 60_000 }, { resolve })
    await expect(runTool(tool!, { url: `http://site.test:${port}/` })).rejects.toThrow(
      /could not be read|is not a URL|without an answer/,
    )
  })
})

describe('web_search', () => {
  const searchTool = (search: WebSettings['search'], deps: WebDeps = {}, more: WebSettings = {}) =>
    createWebTools({ search, ...more }, deps).find(({ name }) => name === 'web_search')

  it('is there only when an engine is set up', () => {
    expect(searchTool({})).toBeUndefined()
    expect(searchTool(undefined)).toBeUndefined()
    expect(searchTool({ braveKey: 'key' })!.access!({}, { granted: [] })).toEqual({
      action: 'search',
      effect: 'network',
      resources: ['https://api.search.brave.com/res/v1/web/search'],
    })
  })

  const results = Array.from({ length: 30 }, (_, number) => ({
    title: `Result <strong>${number}</strong> &amp; more`,
    url: `https://site.test/${number}`,
    content: `What  it\nsays ${number}`,
    description: `What it <strong>says</strong> ${number}`,
  }))
  const first = { title: 'Result 0 & more', url: 'https://site.test/0', snippet: 'What it says 0' }

  it('asks SearXNG', async () => {
    const seen: string[] = []
    const { port } = await startSite((request, response) => {
      seen.push(request.url!)
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ query: 'q', results }))
    })
    const tool = searchTool({ searxngUrl: `http://127.0.0.1:${port}/sx/`, braveKey: 'not asked' })!
    const found = (await runTool(tool, { query: ' tea & milk ', count: 3 })) as { results: unknown[] }
    expect(found.results).toHaveLength(3)
    expect(found.results[0]).toEqual(first)
    expect(seen).toEqual(['/sx/search?q=tea+%26+milk&format=json'])
  })

  it('asks Brave', async () => {
    const { port } = await startSite(({ url, headers }, response) => {
      const { pathname, searchParams } = new URL(url!, 'http://x')
      if (headers['x-subscription-token'] !== 'brave-key') return response.writeHead(401).end()
      const isRight = pathname === '/res/v1/web/search' && searchParams.get('q') === 'tea'
      const count = Number(searchParams.get('count'))
      return response.end(
        JSON.stringify({ type: 'search', web: { results: isRight ? results.slice(0, count) : [] } }),
      )
    })
    const deps = { braveUrl: `http://127.0.0.1:${port}` }
    const found = (await runTool(searchTool({ braveKey: 'brave-key', tavilyKey: 'not asked' }, deps)!, {
      query: 'tea',
    })) as { results: unknown[] }
    expect(found.results).toHaveLength(8)
    expect(found.results[0]).toEqual(first)
    const refused = runTool(searchTool({ braveKey: 'wrong-key' }, deps)!, { query: 'tea' })
    await expect(refused).rejects.toThrow('Brave answered 401: web.search.braveKey is not accepted.')
    await expect(refused).rejects.not.toThrow('wrong-key')
  })

  it('asks Tavily', async () => {
    const { port } = await startSite(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
      const isRight = request.method === 'POST' && request.headers.authorization === 'Bearer tvly-key'
      response.writeHead(isRight ? 200 : 401).end(
        JSON.stringify({
          query: body.query,
          results: results.slice(0, body.max_results),
          response_time: 1,
        }),
      )
    })
    const tool = searchTool({ tavilyKey: 'tvly-key' }, { tavilyUrl: `http://127.0.0.1:${port}` })!
    const found = (await runTool(tool, { query: 'tea', count: 20 })) as { results: unknown[] }
    expect(found.results).toHaveLength(20)
    expect(found.results[0]).toEqual(first)
  })

  it('says when nothing was found, and leaves out what is no page', async () => {
    const { port } = await startSite((_request, response) =>
      response.end(
        JSON.stringify({
          results: [
            { title: 'x', url: 'javascript:x' },
            { title: null, url: null },
          ],
        }),
      ),
    )
    expect(await runTool(searchTool({ searxngUrl: `http://127.0.0.1:${port}` })!, { query: 'x' })).toEqual({
      results: [],
      note: 'Nothing was found. Try other words.',
    })
  })

  it.each([
    [
      'a refusal',
      (response: ServerResponse) => response.writeHead(403).end(),
      'must list "json" under search.formats',
    ],
    ['a page', (response: ServerResponse) => response.end('<html>'), 'not the JSON of results'],
    ['something else', (response: ServerResponse) => response.end('{"results": 5}'), ''],
    [
      'far too much',
      (response: ServerResponse) => response.end(`[${'0,'.repeat(3_000_000)}0]`),
      'not the JSON of results',
    ],
    [
      'a redirect',
      (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end(),
      'could not be reached',
    ],
    ['nothing', () => {}, 'took longer than 2000 ms'],
    ['a broken line', (response: ServerResponse) => response.destroy(), 'could not be reached'],
  ])('says what is wrong: %s', async (name, answer, message) => {
    const site = await startSite((_request, response) => void answer(response))
    const timeoutMs = name === 'nothing' ? 2_000 : 60_000
    const tool = searchTool({ searxngUrl: `http://127.0.0.1:${site.port}` }, {}, { timeoutMs })!
    await expect(runTool(tool, { query: 'x' })).rejects.toThrow(message)
    expect(site.connections()).toBe(1)
  })

  it.each([
    {},
    { query: '' },
    { query: ' ' },
    { query: 'x', count: 0 },
    { query: 'x', count: 21 },
    { query: 'x', extra: 1 },
  ])('does not take %j', async (input) => {
    const tool = searchTool({ braveKey: 'key' })!
    expect(tool.input.safeParse(input).success).toBe(false)
  })
})
