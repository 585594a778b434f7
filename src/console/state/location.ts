import { signal } from '@preact/signals'

type Query = Readonly<Record<string, string | undefined>>

/** The query of the page's address: which panel is shown, of which world, with what selected. */
export const query = signal<Query>(readQuery())

/** What the router's `route` is, once it is there. */
let route: ((url: string, replace?: boolean) => void) | undefined

/** Called by the frame, whose router it is. */
export function followRouter(routeOfRouter: typeof route): void {
  route = routeOfRouter
  const read = readQuery()
  if (toUrl(read) !== toUrl(query.peek())) query.value = read
}

/** The address with some of the query changed; undefined removes one. */
export function hrefWith(changes: Query): string {
  return toUrl({ ...query.value, ...changes })
}

/** Goes to the address with some of the query changed. With `replace` the back button does not return to this one. */
export function navigate(changes: Query, { replace = false } = {}): void {
  route?.(hrefWith(changes), replace)
}

function readQuery(): Query {
  return Object.fromEntries(new URLSearchParams(location.search))
}

function toUrl(values: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') parameters.set(name, value)
  }
  return `${location.pathname}?${parameters.toString()}`
}

/** The figures beside the panels in the navigation, by the id of the panel. A panel or the frame sets its own. */
export const counts = signal<Readonly<Record<string, number>>>({})

export function setCount(panel: string, count: number): void {
  if (counts.peek()[panel] !== count) counts.value = { ...counts.peek(), [panel]: count }
}
