import { isFullDepth } from '../support/depth.ts'

interface Look {
  theme: 'light' | 'dark'
  /** Of the page, in pixels. */
  width: number
}

const LOOKS: readonly Look[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 390 },
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 1280 },
]

/** How pages are looked at: in each theme and at each width once, and in every pair of them at full depth. */
export const looks = isFullDepth ? LOOKS : LOOKS.slice(0, 2)
