import { defineConfig } from 'vite'

export default defineConfig({
  // relative, so that the page also works behind a path prefix
  base: './',
  build: {
    target: 'es2023',
    // the server's content security policy refuses data: URLs
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
