import { mkdir, rm } from 'node:fs/promises'

/** Empties build/, what the compiler writes, and dist/, what the package contains. */
for (const name of ['build', 'dist']) {
  const folder = new URL(`../${name}/`, import.meta.url)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
}
