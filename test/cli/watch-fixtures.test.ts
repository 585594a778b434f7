import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { watchFixtures } from '../../src/cli/watch.ts'
import { aFolder, runCli } from '../support/cli.ts'

/** Refusals and reloads of `seo-sandbox --watch`; `npm run test:processes` changes files while it runs. */

const FILE = 'my agency.yaml'

test.for([
  { args: ['--watch'], says: '--watch: There is no fixture to watch. Name one with --fixtures.' },
  { args: ['--watch', '--fixtures', 'none.yaml'], says: 'none.yaml\n  There is no such file' },
])('$args is refused at the start', async ({ args, says }) => {
  await using folder = await aFolder({})
  const outcome = await runCli(args, { cwd: folder.path() })
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
  expect(outcome.stderr).toContain(`error ${says}`)
})

test('a change during a reload causes another reload, never two at a time', async () => {
  await using folder = await aFolder({ [FILE]: 'first' })
  const path = folder.path(FILE)
  const watch = await watchFixtures([path])
  const witness = await watchFixtures([path])
  let noticed = () => {}
  witness.onChange(async () => noticed())
  const read: string[] = []
  let isReloading = false
  const again = new Promise<void>((done) => {
    watch.onChange(async () => {
      expect(isReloading).toBe(false)
      isReloading = true
      read.push(await folder.read(FILE))
      if (read.length === 1) {
        await writeFile(path, 'third')
        await new Promise<void>((resolve) => {
          noticed = resolve
        })
      }
      isReloading = false
      if (read.length === 2) done()
    })
  })
  await writeFile(path, 'second')
  await again
  expect(read).toEqual(['second', 'third'])
  await Promise.all([watch.close(), witness.close()])
})
