interface SelectProps {
  /** What is chosen, for screen readers. */
  label: string
  value: string
  /** Each value with what it is called. */
  options: readonly (readonly [value: string, title: string])[]
  onSelect: (value: string) => void
  /** Whether what is chosen narrows a list. */
  narrows?: boolean
  /** The id of what describes it. */
  describedBy?: string
}

/** A choice of one of several. */
export function Select(props: SelectProps) {
  const { label, value, options, onSelect, narrows, describedBy } = props
  return (
    <select
      class="field"
      aria-label={label}
      aria-describedby={describedBy}
      value={value}
      data-narrows={narrows}
      onChange={({ currentTarget }) => onSelect(currentTarget.value)}
    >
      {options.map(([option, title]) => (
        <option key={option} value={option}>
          {title.slice(0, 80)}
        </option>
      ))}
    </select>
  )
}

interface SearchFieldProps {
  /** Label and placeholder, with the records to search: `Search projects`. */
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
