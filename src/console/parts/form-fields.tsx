import { ChevronDown, Search } from 'lucide'
import type { PartialInputHTMLAttributes } from 'preact'
import { fitOnLine } from '../../wording/fit-on-line.ts'
import { notice } from '../state/notices.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface SelectProps {
  label: string
  value: string
  options: readonly (readonly [value: string, title: string])[]
  onSelect: (value: string) => void
  /** True while the chosen value filters a list. The field is then highlighted. */
  narrows?: boolean
  describedBy?: string
}

export function Select(props: SelectProps) {
  const { label, value, options, onSelect, narrows, describedBy } = props
  return (
    <span class="choice">
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
            {fitOnLine(title)}
          </option>
        ))}
      </select>
      <Icon of={ChevronDown} />
    </span>
  )
}

/** A group of buttons, one per option. The button of the chosen value is pressed. */
export function Segments(props: Omit<SelectProps, 'narrows' | 'describedBy'>) {
  const { label, value, options, onSelect } = props
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([option, title]) => (
        <Button key={option} pressed={option === value} onPress={() => onSelect(option)}>
          {title}
        </Button>
      ))}
    </div>
  )
}

type TextFieldProps = Omit<
  PartialInputHTMLAttributes<HTMLInputElement>,
  'name' | 'onInput' | 'role' | 'type'
> & {
  /** Path of the value in the request body: `fault.status`. The field shows errors whose path begins with this path. */
  name: string
  list?: string
  onInput: (value: string) => void
}

export function TextField({ onInput, ...rest }: TextFieldProps) {
  return (
    <>
      <input
        type="text"
        class="field"
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        {...rest}
      />
      <FieldError name={rest.name} />
    </>
  )
}

/** Error message of the field with this name; nothing without an error. */
export function FieldError({ name }: { name: string }) {
  const { text, field } = notice.value ?? {}
  if (field?.name !== name || !field.isConnected) return null
  return (
    <span class="state failed" role="alert">
      {text}
    </span>
  )
}

type SearchFieldProps = Pick<SelectProps, 'label' | 'value'> & Pick<TextFieldProps, 'onInput'>

/** The search field of a panel; the key `/` focuses it. */
export function SearchField({ label, value, onInput }: SearchFieldProps) {
  return (
    <span class="search">
      <Icon of={Search} />
      <input
        type="search"
        class="field"
        aria-label={label}
        placeholder={label}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </span>
  )
}
