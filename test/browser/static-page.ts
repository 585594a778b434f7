import { expect } from 'vitest'

/** A page of a static site, in any browser that runs scripts in pages. */
export interface ScriptedPage {
  evaluate: (script: string) => Promise<unknown>
}

/** The result of a fetch in a page. */
export interface Fetched {
  status: number
  type: string | null
  text: string
}

const AGENCY = {
  headers: { Authorization: 'Bearer sandbox-agency', Accept: 'application/json' },
}

/** Fetches a path of the site or an address, like code that somebody pastes into the browser's console. */
export async function fetchIn(page: ScriptedPage, path: string, init = {}): Promise<Fetched> {
  const script = `fetch(new URL(${JSON.stringify(path)}, location.href), ${JSON.stringify(init)}).then(async (response) => ({
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }))`
  return (await page.evaluate(script)) as Fetched
}

/**
 * Asks the API of a page, as the agency of its world.
 *
 * @throws Error for any status but 200
 */
export async function ask(page: ScriptedPage, path: string): Promise<unknown> {
  const { status, text } = await fetchIn(page, path, AGENCY)
  if (status !== 200) throw new Error(`${path} is ${status}: ${text}`)
  return JSON.parse(text)
}

/**
 * Runs a command in the world of a page.
 *
 * @throws Error if it is refused
 */
export async function command(page: ScriptedPage, body: object): Promise<void> {
  const init = { method: 'POST', body: JSON.stringify(body) }
  const { status, text } = await fetchIn(page, '_sandbox/commands', init)
  if (status >= 300) throw new Error(`The command is ${status}: ${text}`)
}

/** Returns the world clock of a page. */
export async function readClock(page: ScriptedPage): Promise<string> {
  const { text } = await fetchIn(page, '_sandbox/clock')
  return (JSON.parse(text) as { now: string }).now
}

/** Returns the number of projects in the world of a page: 40 in the demo. */
export async function countProjects(page: ScriptedPage): Promise<number> {
  const { text } = await fetchIn(page, '_sandbox/records/projects?limit=1')
  return (JSON.parse(text) as { total: number }).total
}

/** Returns the links of the last report of a project. */
export async function readLinks(
  page: ScriptedPage,
  project: number,
): Promise<{ web: string; pdf: string }> {
  const { data } = (await ask(page, `api/v1/projects/${project}/reports/last-generated`)) as {
    data: { web_link: string; pdf_link: string }
  }
  return { web: data.web_link, pdf: data.pdf_link }
}

/** Waits until the service worker has all files, and responds to the requests of the page. */
export async function untilServed(page: ScriptedPage): Promise<void> {
  await expect
    .poll(() => page.evaluate('navigator.serviceWorker.controller?.state'))
    .toBe('activated')
}

/** Waits until the browser has the next release of the site, and is ready to use it. */
export async function untilNextWaits(page: ScriptedPage): Promise<void> {
  await page.evaluate(
    'navigator.serviceWorker.getRegistration().then((registration) => registration.update()).then(() => true)',
  )
  await expect
    .poll(() =>
      page.evaluate(
        'navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting?.state)',
      ),
    )
    .toBe('installed')
}

/** Returns the id of a tab, under which its world is kept. */
export async function idOf(page: ScriptedPage): Promise<string> {
  return (await page.evaluate(`sessionStorage.getItem('seo-sandbox.tab')`)) as string
}

/** Performs an action, and waits until the world of the tab has been saved with it. */
export async function saveWith(page: ScriptedPage, act: () => Promise<void>): Promise<void> {
  await act()
  const { text } = await fetchIn(page, '_sandbox/session')
  const { steps } = JSON.parse(text) as { steps: unknown[] }
  await expect.poll(() => countSavedSteps(page)).toBe(steps.length)
}

/** Returns the number of saved requests and commands of a tab; 0 if there are none. */
async function countSavedSteps(page: ScriptedPage): Promise<number> {
  const id = await idOf(page)
  const count = await page.evaluate(
    inWorlds(
      'readonly',
      `(store) => store.get(${JSON.stringify(id)})`,
      'result?.world.shared.steps.length ?? 0',
    ),
  )
  return Number(count)
}

/** Returns the ids of the tabs whose worlds are kept. */
export async function keptIds(page: ScriptedPage): Promise<string[]> {
  return (await page.evaluate(
    inWorlds('readonly', '(store) => store.getAllKeys()', 'result'),
  )) as string[]
}

/** Moves the saving of all kept worlds back by a number of days. */
export function age(page: ScriptedPage, days: number): Promise<void> {
  return changeKept(page, `{ savedMs: Date.now() - ${days} * 24 * 60 * 60 * 1000 }`)
}

/** Changes fields of all kept worlds. `fields` is an object literal in JavaScript. */
export async function changeKept(page: ScriptedPage, fields: string): Promise<void> {
  await page.evaluate(
    inWorlds(
      'readwrite',
      `(store) => {
        const all = store.openCursor()
        all.addEventListener('success', () => {
          const cursor = all.result
          if (!cursor) return
          cursor.update({ ...cursor.value, ...${fields} })
          cursor.continue()
        })
        return all
      }`,
      'null',
    ),
  )
}

/**
 * Returns a script that runs `act` on the store of kept worlds. Once that is stored, the script evaluates `show`, an expression
 * with `result`.
 */
function inWorlds(mode: 'readonly' | 'readwrite', act: string, show: string): string {
  return `new Promise((resolve, reject) => {
    const opening = indexedDB.open('seo-sandbox')
    opening.addEventListener('error', () => reject(opening.error))
    opening.addEventListener('success', () => {
      const database = opening.result
      const transaction = database.transaction('worlds', '${mode}')
      const asked = (${act})(transaction.objectStore('worlds'))
      transaction.addEventListener('complete', () => {
        const { result } = asked
        database.close()
        resolve(${show})
      })
    })
  })`
}

/** Returns the names of the browser's caches, one per stored release. */
export async function releasesIn(page: ScriptedPage): Promise<string[]> {
  return (await page.evaluate('caches.keys()')) as string[]
}
