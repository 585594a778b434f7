import { isFullDepth } from '../support/depth.ts'

interface Look {
  theme: 'light' | 'dark'
  /** Width of the page, in pixels. */
  width: number
}

const LOOKS: readonly Look[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 390 },
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 1280 },
]

/** Themes and widths of the tested pages: each theme and each width once, or every combination at full depth. */
export const looks = isFullDepth ? LOOKS : LOOKS.slice(0, 2)
