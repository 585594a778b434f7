import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { findChromium, launchChromium } from './chromium.ts'

/** The browser started by {@link useChromium}. */
export let browser: Browser

/** Starts a browser before the tests of a file, and closes it after them. */
export function useChromium(): void {
  beforeAll(async () => {
    browser = await launchChromium(findChromium(process.env))
  })
  afterAll(() => browser.close())
}
