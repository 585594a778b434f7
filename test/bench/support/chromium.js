/** The Chromium that is installed here. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const { CHROMIUM = '/usr/bin/chromium' } = process.env
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

/** The reason why it cannot be used; undefined if it can. */
export function whyNoChromium() {
  if (existsSync(CHROMIUM)) return undefined
  return `There is no Chromium at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM to its path.`
}

export function launchChromium() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
}
