import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { createSandbox } from '../../src/index.ts'
import type { Site } from '../../src/tab/site.ts'
import { aFolder, runCli } from '../support/cli.ts'

/** `seo-sandbox export` writes the console with a sandbox in it as static files (docs/static-demo.md). */

async function exportTo(cwd: string, ...args: string[]) {
  return runCli(['export', ...args], { cwd })
}

async function readSite(file: (name: string) => string, out: string): Promise<Site> {
  return JSON.parse(await readFile(file(`${out}/site.json`), 'utf8')) as Site
}

describe('seo-sandbox export', () => {
  test('every file that a page or a service worker names is there, and nothing begins at a root', async () => {
    await using folder = await aFolder({})
    const { code, stdout } = await exportTo(folder.path(), '--out', 'my site', '--demo')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Wrote my site: a site of \d+ files, \d\.\d MB, with a world of 40 projects\. Any web host can serve it; to look at it: npx serve (['"])my site\1\n$/,
      ),
    ])
    const written = await readdir(folder.path('my site'), { recursive: true })
    const page = await readFile(folder.path('my site/index.html'), 'utf8')
    const named = [...page.matchAll(/(?:src|href|content)="([^"]+\.(?:js|css))"/g)].map(
      ([, name = '']) => name.replace(/^\.\//, ''),
    )
    expect(named.map((name) => name.replace(/-.*\./, '.'))).toEqual([
      'site/worker.js',
      'console/index.js',
      'console/style.css',
    ])
    const serviceWorker = await readFile(folder.path('my site/service-worker.js'), 'utf8')
    const [, release = ''] = /^self\.SITE = (.*);$/m.exec(serviceWorker) ?? []
    const { files } = JSON.parse(release) as { files: string[] }
    expect([...named, ...files].filter((name) => !written.includes(name))).toEqual(['./'])
  })

  test.each([
    ['the demo', ['--demo', '--locale', 'da', '--seed', '7', '--now', '2026-03-15']],
    ['a scenario', ['--scenario', 'late-finisher']],
  ])('the worlds of a site of %s are those of a server', async (_, args) => {
    await using folder = await aFolder({})
    await exportTo(folder.path(), '--out', 'site', '--now', '2026-03-15', '--frozen', ...args)
    const { options } = await readSite(folder.path, 'site')
    const sandbox = await createSandbox(options)
    const { code, stdout } = await exportTo(folder.path(), '--out', 'site', '--json', ...args)
    const { projects } = JSON.parse(stdout) as { projects: number }
    expect([code, projects]).toEqual([0, sandbox.world.records.all('projects').length])
  })

  test('fixtures are checked, and YAML of one file is in the site as data', async () => {
    const yaml = 'version: 1\nagencies:\n  - { id: 1, name: Lake & Moor }\n'
    await using folder = await aFolder({ 'world.yaml': yaml, 'wrong.yaml': 'version: 2\n' })
    await exportTo(folder.path(), '--out', 'site', '--fixtures', 'world.yaml', '--title', 'Moor')
    const { title, options } = await readSite(folder.path, 'site')
    expect([title, options.fixtures]).toEqual([
      'Moor',
      { version: 1, agencies: [{ id: 1, name: 'Lake & Moor' }] },
    ])
    const wrong = await exportTo(folder.path(), '--out', 'other', '--fixtures', 'wrong.yaml')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('wrong.yaml:1')])
    expect(await readdir(folder.path())).not.toContain('other')
  })

  test('a site replaces the one before it, whose files with other names are gone', async () => {
    await using folder = await aFolder({})
    await exportTo(folder.path(), '--out', 'site')
    const first = await readSite(folder.path, 'site')
    const names = await readdir(folder.path('site'), { recursive: true })
    await writeFile(folder.path('site/console/index-before.js'), '')
    await writeFile(folder.path('site/CNAME'), 'demo.example')
    const { code } = await exportTo(folder.path(), '--out', 'site', '--scenario', 'all-null')
    expect(code).toBe(0)
    const written = await readdir(folder.path('site'), { recursive: true })
    expect(written.toSorted()).toEqual([...names, 'CNAME'].toSorted())
    expect((await readSite(folder.path, 'site')).digest).not.toBe(first.digest)
  })

  test('a release is another one where anything that is cached differs, and else the same', async () => {
    await using folder = await aFolder({})
    const releaseOf = async (...args: string[]) => {
      await exportTo(folder.path(), '--out', 'site', '--now', '2026-03-15', ...args)
      return /"id":"(\w+)"/.exec(await folder.read('site/service-worker.js'))?.[1]
    }
    const releases = [
      await releaseOf(),
      await releaseOf('--base', '/a/'),
      await releaseOf('--title', 'Other'),
      await releaseOf('--show-gaps'),
    ]
    expect(new Set(releases).size).toBe(4)
    expect(await releaseOf()).toBe(releases[0])
  })

  test.each([
    [['--demo'], '--out: Name the folder to write the site to.'],
    [['--out', 'taken'], 'taken: It has files that export did not write.'],
    [['--out', 'file.txt'], 'file.txt: '],
    [
      ['--out', 'site', '--base', 'sandbox'],
      '--base: "sandbox" is not a path. Write one like /sandbox/.',
    ],
    [['--out', 'site', '--demo', '--scenario', 'all-null'], '--demo: The demo is a whole world.'],
    [['--out', 'site', '--title', ''], '--title: '],
    [
      ['--postman', 'c.json', '--demo'],
      '--demo: This option is for a site. Leave it out, or add --out.',
    ],
    [['--postman', 'c.json', '--title', 'x'], '--title: This option is for a site.'],
    [['--postman', 'none/c.json'], '--postman none/c.json: '],
    [['--postman', 'taken'], '--postman taken: '],
  ])('%s is refused in a sentence', async (args, sentence) => {
    await using folder = await aFolder({ 'taken/notes.txt': 'mine', 'file.txt': '' })
    const { code, stderr } = await exportTo(folder.path(), ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
    expect(stderr).not.toMatch(/\bat .*\.[jt]s\b/)
    expect(await readFile(folder.path('taken/notes.txt'), 'utf8')).toBe('mine')
  })

  test('a title runs nothing, and the documents say where the API is', async () => {
    await using folder = await aFolder({})
    const title = '</title><script>alert(1)</script>"$&'
    await exportTo(folder.path(), '--out', 'site', '--title', title, '--base', '/a/b/')
    const page = await readFile(folder.path('site/index.html'), 'utf8')
    expect(page).toContain('<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page.match(/<script/g)).toHaveLength(1)
    const document = await readFile(folder.path('site/openapi.json'), 'utf8')
    expect(document).toContain('"default":"/a/b"')
    await rm(folder.path('site'), { recursive: true })
  })
})

describe('--postman', () => {
  interface Collection {
    info: { schema: string }
    auth: object
    variable: { key: string; value: string }[]
    item: { item: PostmanItem[] }[]
  }
  interface PostmanItem {
    id: string
    request: PostmanRequest
    response: { code: number; body: string; originalRequest: PostmanRequest }[]
  }
  interface PostmanRequest {
    method: string
    url: { raw: string; variable?: { key: string; value: string }[] }
  }

  /** The address of a request as Postman sends it, with the variables of the collection. */
  function addressOf({ url: { raw, variable = [] } }: PostmanRequest, base: string): string {
    const address = variable.reduce((all, { key, value }) => all.replace(`:${key}`, value), raw)
    return address.replace('{{base_url}}', base)
  }

  test('alone writes a collection with a request and a saved response for each endpoint, which the default world gives', async () => {
    await using folder = await aFolder({ 'c.json': 'old' })
    const { code, stdout } = await exportTo(folder.path(), '--postman', 'c.json')
    expect([code, stdout]).toEqual([
      0,
      'Wrote c.json: a Postman collection with 14 requests. Its variables are base_url and token; Bruno and Insomnia can also import it.\n',
    ])
    const collection = JSON.parse(await folder.read('c.json')) as Collection
    const { info, auth, variable, item: folders } = collection
    expect(info.schema).toContain('/v2.1.0/')
    expect(auth).toMatchObject({ type: 'bearer', bearer: [{ key: 'token', value: '{{token}}' }] })
    const values = Object.fromEntries(variable.map(({ key, value }) => [key, value]))
    expect(values).toEqual({ base_url: 'http://127.0.0.1:4010', token: 'sandbox-agency' })

    const items = folders.flatMap(({ item }) => item)
    expect(items.map(({ id }) => id).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
    const sandbox = await createSandbox({ now: '2026-03-15T12:00:00Z', frozen: true })
    const headers = { authorization: `Bearer ${values['token']}` }
    for (const { request, response } of items) {
      const answer = await sandbox.fetch(addressOf(request, values['base_url']!), { headers })
      const [example] = response
      expect(example?.originalRequest).toEqual(request)
      expect([200, JSON.parse(example?.body ?? '')]).toEqual([answer.status, await answer.json()])
    }
  })

  test('goes with a site, and --json shows both', async () => {
    await using folder = await aFolder({})
    const args = ['--out', 'site', '--postman', 'c.json', '--json']
    const { stdout } = await exportTo(folder.path(), ...args)
    expect(JSON.parse(stdout)).toMatchObject({
      folder: 'site',
      postman: { file: 'c.json', requests: 14 },
    })
    expect(await readdir(folder.path())).toEqual(['c.json', 'site'])
  })

  test('takes no world from the config file, which is that of a server', async () => {
    await using folder = await aFolder({ 'seo-sandbox.config.yaml': 'fixtures: none.yaml\n' })
    const { code } = await exportTo(folder.path(), '--postman', 'c.json')
    expect(code).toBe(0)
  })
})
