import { useEffect, useEffectEvent, useState } from 'react'

/**
 * Files that are dragged over the page from outside. What is dragged within it, such as a session of the list, is none,
 * also when the browser offers an image as a file.
 */
export function useFileDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const drop = useEffectEvent(onFiles)
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    let isFromHere = false
    const isFiles = ({ dataTransfer }: DragEvent) =>
      !isFromHere && dataTransfer !== null && dataTransfer.types.includes('Files')
    const listen = (
      type: 'dragstart' | 'dragend' | 'dragover' | 'dragleave' | 'drop',
      does: (event: DragEvent) => void,
    ) => document.addEventListener(type, does, { signal })
    listen('dragstart', () => {
      isFromHere = true
    })
    listen('dragend', () => {
      isFromHere = false
    })
    listen('dragover', (event) => {
      if (!isFiles(event)) return
      event.preventDefault()
      setOver(true)
    })
    listen('dragleave', ({ relatedTarget }) => {
      // null when it leaves the page
      if (relatedTarget === null) setOver(false)
    })
    listen('drop', (event) => {
      setOver(false)
      if (!isFiles(event)) return
      event.preventDefault()
      drop([...event.dataTransfer!.files])
    })
    return () => abort.abort()
  }, [])
  return isOver
}
