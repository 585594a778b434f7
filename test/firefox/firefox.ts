import { existsSync } from 'node:fs'
import { launch } from 'puppeteer-core'
import type { Browser } from 'puppeteer-core'

/** The path in Debian's package. */
const DEBIAN_FIREFOX = '/usr/bin/firefox-esr'

/**
 * The browser's executable: the environment's `FIREFOX`, or Debian's.
 *
 * @throws Error with what to install if there is none.
 */
export function findFirefox({ FIREFOX = DEBIAN_FIREFOX }: NodeJS.ProcessEnv): string {
  if (existsSync(FIREFOX)) return FIREFOX
  throw new Error(
    `There is no Firefox at ${FIREFOX}. Install it (on Debian: apt-get install firefox-esr), or set FIREFOX to its path.`,
  )
}

export function launchFirefox(executablePath: string): Promise<Browser> {
  return launch({ browser: 'firefox', executablePath, headless: true })
}
