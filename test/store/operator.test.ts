import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { findChromium, launchChromium } from '../browser/chromium.ts'
import { findSerious } from '../browser/console.ts'
import { HostError } from '../../src/world/host-error.ts'
import { startCluster } from './support/cluster.ts'
import { ADMIN_KEY, invite } from './support/partners.ts'
import { ask } from './support/replica.ts'

/** What an operator sees of the partners, and of what goes wrong. */

const ARGS = ['--admin-key', ADMIN_KEY]

const browser = await launchChromium(findChromium(process.env))
afterAll(() => browser.close())

test('use by partner, and what was refused, by world and with a count', async () => {
  await using cluster = await startCluster({ args: [...ARGS, '--limits', 'requests=3'] })
  const [one, two] = cluster.replicas
  const read = async (path: string) => (await ask(one!.url + path, { token: ADMIN_KEY })).body
  const partner = await invite(one!, { name: 'Acme' })
  const [before] = await read('/_sandbox/partners')
  expect(before).toMatchObject({ id: partner.id, claimed: false, requests: 0 })
  expect(await read('/_sandbox/errors')).toEqual([])

  const [token] = Object.values(partner.tokens)
  // More than the limit allows in two seconds, should it take as long.
  const sent = Array.from({ length: 20 }, () => ask(`${one!.url}/api/v1/me`, { token: token! }))
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  const taken = statuses.filter((status) => status === 200).length
  const [after] = await read('/_sandbox/partners')
  expect(after).toMatchObject({ id: partner.id, requests: taken })
  expect(after.last_used_at >= before.last_used_at).toBe(true)
  const message = expect.stringMatching(/^More requests and changes reach this world/)
  expect(z.array(HostError).parse(await read('/_sandbox/errors'))).toEqual([
    { at: expect.any(String), world: partner.world, message, times: 20 - taken },
  ])
  const other = await ask(`${two!.url}/_sandbox/errors`, { token: ADMIN_KEY })
  expect(other.body).toEqual([])

  const page = await browser.newPage()
  await page.goto(one!.url)
  const dialog = page.getByRole('dialog', { name: 'Admin key' })
  await dialog.getByLabel('Key').fill(ADMIN_KEY)
  await dialog.getByLabel('Key').press('Enter')
  await page.getByRole('link', { name: 'Partners' }).click()
  const row = page.getByRole('row', { name: 'Acme' })
  expect(await row.textContent()).toContain(partner.world)
  expect(await row.textContent()).toMatch(/0 of 64 MB/)
  await page.getByText('More requests and changes reach this world').waitFor()
  expect(await findSerious(page)).toEqual([])
  await row.click()
  await page.locator(`[aria-label=World]`).waitFor()
  expect(new URL(page.url()).searchParams.get('world')).toBe(partner.world)
})

test('that the store is gone', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [one] = cluster.replicas
  await cluster.redis.kill()
  await expect.poll(async () => (await ask(`${one!.url}/api/v1/me`, {})).status).toBe(503)
  const { body } = await ask(`${one!.url}/_sandbox/errors`, { token: ADMIN_KEY })
  const ofAll = body.find(({ world }: { world: string | null }) => world === null)
  expect(ofAll.message).toMatch(/store/)
})
