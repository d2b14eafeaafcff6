import { ExportForm } from './export-form.tsx'
import { ImportForm } from './import-form.tsx'

export function DataSection() {
  return (
    <>
      <ImportForm />
      <ExportForm />
    </>
  )
}
