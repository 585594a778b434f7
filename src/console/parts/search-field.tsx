interface SearchFieldProps {
  /** What is searched: `Search projects`. */
  label: string
  value: string
  onInput: (value: string) => void
}

/** The search of a panel, which `/` goes to. */
export function SearchField({ label, value, onInput }: SearchFieldProps) {
  return (
    <input
      type="search"
      class="field"
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  )
}
