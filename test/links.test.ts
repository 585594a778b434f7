import { expect, test } from 'vitest'
import { findBrokenLinks, listPages, readLinks, REPOSITORY } from './docs/links.ts'

/** The links of the README and of docs. test/docs/package-links.test.ts checks those of the package. */

/** Other sites that pages link to. Nothing here opens them: open a new link by hand before you add it. */
const OTHER_SITES = [
  'https://agentskills.io',
  'https://github.com/mswjs/data',
  'https://github.com/mswjs/jest-fixed-jsdom',
  'https://keepachangelog.com/en/1.1.0/',
  'https://semver.org/spec/v2.0.0.html',
]

const LINKS = listPages().flatMap((page) => readLinks(page, REPOSITORY.read(page)))

test('every link leads to a page, and every anchor to a heading', () => {
  expect(LINKS.length).toBeGreaterThan(50)
  expect(findBrokenLinks(LINKS, REPOSITORY)).toEqual([])
})

test('every link to another site is a known one', () => {
  const sites = LINKS.map(({ target }) => target).filter((target) => /^https?:/.test(target))
  expect([...new Set(sites)].toSorted()).toEqual(OTHER_SITES)
})

test('every page of docs can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const page of reached) {
    for (const { target } of readLinks(page, REPOSITORY.read(page))) {
      const [path = ''] = target.split('#')
      const found = new URL(path, `https://repository/${page}`).pathname.slice(1)
      const index = `${found.replace(/\/$/, '')}/README.md`
      if (found.endsWith('.md')) reached.add(found)
      else if (REPOSITORY.has(index)) reached.add(index)
    }
  }
  const forUsers = listPages().filter((page) =>
    /^docs\/(?!conformance|decisions|releasing)/.test(page),
  )
  expect(forUsers.filter((page) => !reached.has(page))).toEqual([])
})

test.each([
  [
    'a file that does not exist',
    '[x](docs/nowhere.md)',
    'README.md:1 leads to docs/nowhere.md, which does not exist.',
  ],
  [
    'a heading that does not exist',
    '# One\n\n[x](#two)',
    'README.md:3 leads to #two, but README.md has no such heading.',
  ],
  [
    'a heading of code alone',
    '```sh\n# one\n```\n[x](#one)',
    'README.md:4 leads to #one, but README.md has no such heading.',
  ],
  [
    'a reference that leads nowhere',
    '[x]\n\n[x]: gone.md',
    'README.md:3 leads to gone.md, which does not exist.',
  ],
])('%s is reported', (_, text, message) => {
  const pages = { has: (path: string) => path === 'README.md', read: () => text }
  expect(findBrokenLinks(readLinks('README.md', text), pages)).toEqual([message])
})

test('links in code are none, and headings with marks and repetitions have the anchors of GitHub', () => {
  const text =
    '# `a` & b: c_d\n\n## One\n\n## One\n\n`[x](y)` [1](#a--b-c_d) [2](#one-1)\n\n```\n[x](y)\n```'
  const links = readLinks('README.md', text)
  expect(links.map(({ target }) => target)).toEqual(['#a--b-c_d', '#one-1'])
  expect(findBrokenLinks(links, { has: () => true, read: () => text })).toEqual([])
})
