import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

/** Path in Debian's package. */
const DEBIAN_CHROMIUM = '/usr/bin/chromium'

/** For root in a container, and without background traffic. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Returns the browser's executable: the environment's `CHROMIUM`, or Debian's.
 *
 * @throws Error with installation advice if there is none.
 */
export function findChromium({ CHROMIUM = DEBIAN_CHROMIUM }: NodeJS.ProcessEnv): string {
  if (existsSync(CHROMIUM)) return CHROMIUM
  throw new Error(
    `There is no Chromium at ${CHROMIUM}. Install it (on Debian: apt-get install chromium), or set CHROMIUM to its path.`,
  )
}

export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: FLAGS })
}
