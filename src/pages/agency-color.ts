/** The colours of an agency: on white, and on the dark background of a page. */
export interface AgencyColor {
  light: string
  dark: string
}

/** Those that follow each other differ most. Each has a contrast of 6 or more to its background. */
export const AGENCY_COLORS: readonly AgencyColor[] = [
  { light: '#025da1', dark: '#80bdfb' },
  { light: '#98370c', dark: '#f49f81' },
  { light: '#056965', dark: '#51cec7' },
  { light: '#8b3473', dark: '#e79bce' },
  { light: '#426801', dark: '#a0c679' },
  { light: '#4e4da6', dark: '#a9b0fd' },
  { light: '#7e4f04', dark: '#e5ab66' },
  { light: '#06657b', dark: '#59c8e8' },
  { light: '#982f49', dark: '#f499a7' },
  { light: '#016c46', dark: '#73cd9f' },
  { light: '#733f94', dark: '#cda4ec' },
  { light: '#685b04', dark: '#c8b962' },
]

/** The index of an agency's colour: agencies whose ids follow each other have different ones. */
export function colorOf({ id }: { id: number }): number {
  return (id - 1) % AGENCY_COLORS.length
}
