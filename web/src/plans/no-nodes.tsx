import { FileInput, Plus, Split } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'
import { planTexts } from './texts.ts'

interface Props {
  onAdd(): void
  onForm(form: 'decompose' | 'import'): void
}

/** How a plan that has nothing in it can go on. */
export function NoNodes({ onAdd, onForm }: Props) {
  const t = useTexts(planTexts)
  return (
    <Empty>
      <p className="max-w-prose">{t.noNodesYet}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button variant="primary" onClick={onAdd}>
          <Plus aria-hidden />
          {t.addNode}
        </Button>
        <Button onClick={() => onForm('decompose')}>
          <Split aria-hidden />
          {t.decompose}
        </Button>
        <Button onClick={() => onForm('import')}>
          <FileInput aria-hidden />
          {t.import}
        </Button>
      </div>
    </Empty>
  )
}
