interface Props {
  id: string
  models: readonly string[]
}

/** Offers models to the box that names this list; any other can be typed there. */
export function ModelList({ id, models }: Props) {
  return (
    <datalist id={id}>
      {models.map((model) => (
        <option key={model}>{model}</option>
      ))}
    </datalist>
  )
}
