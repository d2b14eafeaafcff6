import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { features } from './features.ts'
import './style.css'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App features={features} />
  </StrictMode>,
)
