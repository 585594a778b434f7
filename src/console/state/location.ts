import { signal } from '@preact/signals'

type Query = Readonly<Record<string, string | undefined>>

export const query = signal<Query>(readQuery())

/** The router's `route`; undefined until the router is mounted. */
let route: ((url: string, replace?: boolean) => void) | undefined

/** Updates `query` from the page's URL, and stores the router's `route`. The frame calls this after each change of the URL. */
export function followRouter(routeOfRouter: typeof route): void {
  route = routeOfRouter
  const read = readQuery()
  if (toUrl(read) !== toUrl(query.peek())) query.value = read
}

/** Parameters that apply only to the current panel, and are dropped when another panel opens. */
const PANEL_PARAMETERS: Query = { search: undefined, filter: undefined, request: undefined }

/** Returns the page's path and query with some parameters changed; a value of undefined or '' removes the parameter. */
export function hrefWith(changes: Query): string {
  const isOther = 'panel' in changes && changes['panel'] !== query.value['panel']
  return toUrl({ ...query.value, ...(isOther && PANEL_PARAMETERS), ...changes })
}

/** Changes some query parameters of the page's URL. `replace` replaces the current entry of the browser's history. */
export function navigate(changes: Query, { replace = false } = {}): void {
  route?.(hrefWith(changes), replace)
}

function readQuery(): Query {
  return Object.fromEntries(new URLSearchParams(location.search))
}

function toUrl(values: Query): string {
  return location.pathname + (toSearch(values) || '?')
}

/** Formats a query with its question mark, without undefined and empty values; an empty string if no value remains. */
export function toSearch(values: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(present.map(([name, value]) => [name, String(value)]))
  return present.length === 0 ? '' : `?${search}`
}
