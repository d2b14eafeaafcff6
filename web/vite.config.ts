import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// parts of Streamdown that are not used here, and weigh as much as all the rest of it
const standIn = (name: string) => fileURLToPath(new URL(`./src/session/markdown/${name}`, import.meta.url))

export default defineConfig({
  // relative, so that the page also works behind a path prefix
  base: './',
  plugins: [react(), tailwind()],
  resolve: {
    alias: {
      'rehype-raw': standIn('no-raw-html.ts'),
      'rehype-sanitize': standIn('not-needed.ts'),
      'rehype-harden': standIn('not-needed.ts'),
      'tailwind-merge': standIn('not-needed.ts'),
      'mdast-util-to-markdown': standIn('not-needed.ts'),
    },
  },
  build: {
    target: 'es2023',
    // the server's content security policy refuses data: URLs
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    // the second one is the page of the frame that draws diagrams
    rolldownOptions: { input: ['index.html', 'diagram.html'] },
  },
})
