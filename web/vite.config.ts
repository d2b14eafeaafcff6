import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

// writes Markdown, which nothing here does; what reads it brings it along
const standIn = fileURLToPath(new URL('./src/markdown/not-needed.ts', import.meta.url))

const sources = fileURLToPath(new URL('./src', import.meta.url))
const ownRuntimes = new Map(
  ['jsx-runtime', 'jsx-dev-runtime'].map((name) => [
    `react/${name}`,
    fileURLToPath(new URL(`./src/ui/${name}.ts`, import.meta.url)),
  ]),
)

/** Texts of the page pass our own JSX runtime, which marks what nobody would see of them. */
const showHidden: Plugin = {
  name: 'show-hidden',
  enforce: 'pre',
  resolveId(source, importer) {
    const own = ownRuntimes.get(source)
    return importer?.startsWith(sources) && importer !== own ? own : undefined
  },
}

const frame =
  /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|@base-ui|@floating-ui|@tanstack|zustand|clsx|lucide-react)[\\/]|web[\\/]src[\\/](ui|shell|api)[\\/]/

// loaded when one is opened, though most pages have some
const panes =
  /node_modules[\\/]@base-ui[\\/]react[\\/]dialog[\\/]|web[\\/]src[\\/]ui[\\/](dialog|confirm-\w+|form-dialog)\.tsx$/

// the words that a session is drawn with
const firstWords =
  /web[\\/]src[\\/](?:api|approvals|markdown|memory|permissions|session|sessions|shell)[\\/](en|zh)\.ts$/

export default defineConfig({
  // relative, so that the page also works behind a path prefix
  base: './',
  plugins: [showHidden, react(), tailwind()],
  resolve: {
    alias: {
      'mdast-util-to-markdown': standIn,
    },
  },
  // colours for code are made in one; each language is a file of its own
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    // the server's content security policy refuses data: URLs
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    // the second one is the page of the frame that draws diagrams
    rolldownOptions: {
      input: ['index.html', 'diagram.html'],
      output: {
        codeSplitting: {
          // what most pages use is one file; as shared pieces it would be fifty, each with a request of its own
          groups: [
            { name: 'frame', test: (id) => frame.test(id) && !panes.test(id), minShareCount: 5 },
            { name: (id) => firstWords.exec(id)?.[1] ?? null, test: firstWords },
          ],
        },
      },
    },
  },
})
