import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  // relative, so that the page also works behind a path prefix
  base: './',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2023',
    // the server's content security policy refuses data: URLs
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
  },
})
