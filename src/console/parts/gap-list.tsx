import { hrefWith } from '../state/location.ts'
import { useGet } from '../state/resource.ts'

/** The gaps of the specification that a response relies on, each with what is left open and what is done. */
export function GapList({ ids }: { ids: readonly string[] }) {
  const { value = [] } = useGet('/policies')
  return (
    <ul>
      {ids.map((id) => {
        const gap = value.find((each) => each.id === id)
        return (
          <li key={id}>
            {gap && `${gap.question}: ${gap.behaviour ?? String(gap.value)} `}
            <a class="mono" href={hrefWith({ panel: 'policies', search: id })}>
              {id}
            </a>
          </li>
        )
      })}
    </ul>
  )
}
