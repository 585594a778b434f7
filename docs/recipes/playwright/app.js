import { join } from 'node:path'

/** Serves the application under test from `origin`, ahead of anything else there, and opens it. */
export async function openApp(page, origin, query = '') {
  await page.route(`${origin}/app/**`, (route) => {
    const { pathname } = new URL(route.request().url())
    const file = pathname === '/app/' ? 'index.html' : pathname.slice('/app/'.length)
    return route.fulfill({ path: join(import.meta.dirname, file) })
  })
  await page.goto(`${origin}/app/${query}`)
}
