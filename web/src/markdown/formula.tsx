import { useLayoutEffect, useRef, useState } from 'react'

interface Props {
  tex: string
  isDisplay: boolean
}

/** A formula; as it was written until what draws it is loaded, and when it cannot be drawn. */
export function Formula({ tex, isDisplay }: Props) {
  const place = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState<string>()
  useLayoutEffect(() => {
    let isWanted = true
    void import('./math.ts').then(({ drawFormula }) => {
      if (!isWanted || !place.current) return
      if (drawFormula(tex, place.current, isDisplay)) setDrawn(tex)
    })
    return () => {
      isWanted = false
    }
  }, [tex, isDisplay])
  const isDrawn = drawn === tex
  return (
    <span className={isDisplay ? 'my-2 block overflow-x-auto overflow-y-hidden text-center' : undefined}>
      {!isDrawn && <code className="font-mono text-[0.9em]">{tex}</code>}
      <span ref={place} hidden={!isDrawn} />
    </span>
  )
}
