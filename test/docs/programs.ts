import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs besides Node that the examples of the guides and the reading of PDFs run, with the Debian package of each. */
const PROGRAMS = {
  bash: 'bash',
  curl: 'curl',
  go: 'golang-go',
  javac: 'default-jdk-headless',
  openssl: 'openssl',
  php: 'php-cli',
  pytest: 'python3-pytest',
  python3: 'python3',
  pdftotext: 'poppler-utils',
  qpdf: 'qpdf',
}

/** Vitest calls this once, before all tests. */
export function setup(): void {
  requirePrograms(process.env['PATH'] ?? '')
}

/** @throws Error with the packages to install, unless the folders of the path have every program. */
export function requirePrograms(path: string): void {
  const folders = path.split(delimiter)
  const missing = Object.entries(PROGRAMS).filter(
    ([program]) => !folders.some((folder) => existsSync(join(folder, program))),
  )
  if (missing.length === 0) return
  const programs = missing.map(([program]) => program).join(', ')
  const packages = missing.map(([, name]) => name).join(' ')
  throw new Error(
    `These tests need ${programs}, not found on the PATH: install what is missing, on Debian with \`apt-get install ${packages}\`.`,
  )
}
