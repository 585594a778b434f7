import { useRef } from 'preact/hooks'

interface TabsProps<Name extends string> {
  label: string
  titles: Readonly<Partial<Record<Name, string>>>
  selected: Name
  onSelect: (name: Name) => void
  /** Id of the element that shows the selected tab's content. */
  controls: string
}

/** List of tabs, between which arrow keys move. The element with the id `controls` must have `role="tabpanel"`. */
export function Tabs<Name extends string>(props: TabsProps<Name>) {
  const { label, titles, selected, onSelect, controls } = props
  const names = Object.keys(titles) as Name[]
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    const at = (names.indexOf(selected) + step + names.length) % names.length
    event.preventDefault()
    onSelect(names[at]!)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === selected}
          aria-controls={controls}
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {titles[name]}
        </button>
      ))}
    </div>
  )
}
