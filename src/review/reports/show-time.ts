import { withoutControls } from '../../contract/text.ts'

/** A time without its fraction of a second; a dash if there is none. */
export function showTime(time: string | null): string {
  if (time === null) return '–'
  return withoutControls(time).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2')
}
