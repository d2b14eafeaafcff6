import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// writes Markdown, which nothing here does; what reads it brings it along
const standIn = fileURLToPath(new URL('./src/session/markdown/not-needed.ts', import.meta.url))

export default defineConfig({
  // relative, so that the page also works behind a path prefix
  base: './',
  plugins: [react(), tailwind()],
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
    rolldownOptions: { input: ['index.html', 'diagram.html'] },
  },
})
