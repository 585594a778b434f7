import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { launchChromium, whyNoChromium } from './chromium.js'

/** HTTP clients that partners use, as installed here; each repeats a GET with a token, `{ url, token, caFile, count }`. */

const PHP = `
require 'GuzzleHttp/autoload.php';
[, $url, $token, $ca, $count] = $argv;
$client = new GuzzleHttp\\Client(['headers' => ['Authorization' => "Bearer $token"], 'verify' => $ca]);
for ($sent = 0; $sent < $count; $sent++) $client->get($url);
`

const PYTHON = `
import sys, requests
_, url, token, ca, count = sys.argv
session = requests.Session()
session.headers['Authorization'] = f'Bearer {token}'
for _ in range(int(count)): session.get(url, verify=ca).raise_for_status()
`

/** Debian's packages are for Debian's Python. */
const DEBIAN_PYTHON = '/usr/bin/python3'

/** Clients by name; `whyNot` returns the reason why one cannot be used here. */
export const CLIENTS = {
  curl: {
    whyNot: () => missing('curl', ['--version'], 'curl'),
    // The part of a URL after # is not sent.
    send: ({ url, token, caFile, count }) => {
      const header = `Authorization: Bearer ${token}`
      const flags = ['-sSf', '-o', '/dev/null', '--cacert', caFile, '-H', header]
      return run('curl', [...flags, `${url}#[1-${count}]`])
    },
  },
  'PHP with Guzzle': {
    whyNot: () =>
      missing('php', ['-r', "require 'GuzzleHttp/autoload.php';"], 'php-guzzlehttp-guzzle'),
    send: ({ url, token, caFile, count }) =>
      run('php', ['-r', PHP, '--', url, token, caFile, count]),
  },
  'Python with requests': {
    whyNot: () => missing(DEBIAN_PYTHON, ['-c', 'import requests'], 'python3-requests'),
    send: ({ url, token, caFile, count }) =>
      run(DEBIAN_PYTHON, ['-c', PYTHON, url, token, caFile, count]),
  },
  'a page in Chromium': {
    whyNot: whyNoChromium,
    send: sendByPage,
  },
}

function missing(program, args, name) {
  const { status } = spawnSync(program, args, { stdio: 'ignore' })
  return status === 0 ? undefined : `apt-get install ${name}`
}

async function run(program, args) {
  await promisify(execFile)(program, args.map(String))
}

/** Fetches from a page of another origin, which has Chromium ask beforehand. */
async function sendByPage({ url, token, count }) {
  const pages = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>')
  }).listen(0, '127.0.0.1')
  await once(pages, 'listening')
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await page.goto(`http://localhost:${pages.address().port}/`)
    await page.evaluate(
      async (asked) => {
        const headers = { authorization: `Bearer ${asked.token}`, accept: 'application/json' }
        for (let sent = 0; sent < asked.count; sent += 1) {
          const response = await fetch(asked.url, { headers })
          if (!response.ok) throw new Error(`${asked.url} responds with ${response.status}`)
          await response.text()
        }
      },
      { url, token, count },
    )
  } finally {
    await browser.close()
    pages.close()
  }
}
