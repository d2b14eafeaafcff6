import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './shell/app.tsx'
import { textsReady } from './shell/texts.ts'
import { features } from './features.ts'
import './style.css'

async function start() {
  // what could not be loaded is tried again where it is drawn
  await textsReady().catch(() => {})
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App features={features} />
    </StrictMode>,
  )
}

void start()
