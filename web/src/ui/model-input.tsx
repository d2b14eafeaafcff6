import { useId, type ComponentProps } from 'react'

interface Props extends ComponentProps<'input'> {
  models: readonly string[]
}

/** A box for the name of a model: it offers those it is given, and any other can be typed. */
export function ModelInput({ models, ...input }: Props) {
  const listId = useId()
  return (
    <>
      <input spellCheck={false} autoCapitalize="none" autoComplete="off" {...input} list={listId} />
      <datalist id={listId}>
        {models.map((model) => (
          <option key={model}>{model}</option>
        ))}
      </datalist>
    </>
  )
}
