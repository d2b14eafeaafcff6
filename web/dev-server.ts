import type { ClientRequest, IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createServer, type InlineConfig, type ProxyOptions, type ViteDevServer } from 'vite'

// what a Parley serves beside the page
const served = '^/(api|v1|mcp|docs|openapi\\.json|healthz|readyz|metrics)(?![\\w-])'

export interface DevServerOptions extends Pick<InlineConfig, 'cacheDir'> {
  /** Of the Parley behind it. */
  parleyUrl: string
  /** Default 5173, or the next that is free. */
  port?: number
  /** Default true: changes of the sources are shown at once, and what fails is printed. */
  watches?: boolean
}

/** The page from its sources, in React's development mode, with everything else from a Parley. */
export async function startDevServer({
  parleyUrl,
  port = 5_173,
  watches = true,
  cacheDir,
}: DevServerOptions): Promise<ViteDevServer & { url: string }> {
  const server = await createServer({
    root: fileURLToPath(new URL('.', import.meta.url)),
    mode: 'development',
    logLevel: watches ? 'warn' : 'silent',
    cacheDir,
    server: {
      host: '127.0.0.1',
      port,
      proxy: { [served]: toParley(parleyUrl) },
      ...(!watches && { watch: null, hmr: false }),
    },
  })
  await server.listen()
  return Object.assign(server, { url: server.resolvedUrls!.local[0]!.replace(/\/$/, '') })
}

/** Parley accepts pages of its own origin alone: what this page sends counts as that, and nothing of any other page. */
function toParley(target: string): ProxyOptions {
  return {
    target,
    changeOrigin: true,
    ws: true,
    configure(proxy) {
      const { origin } = new URL(target)
      const renameOrigin = (sent: ClientRequest, { headers }: IncomingMessage) => {
        if (headers.origin === `http://${headers.host}`) sent.setHeader('origin', origin)
      }
      proxy.on('proxyReq', renameOrigin)
      proxy.on('proxyReqWs', renameOrigin)
    },
  }
}
