import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'vitest'
import { issueCertificate } from '../../src/server/certificate.ts'
import { aFolder } from '../support/cli.ts'
import { EXEC, exec } from '../support/exec.ts'
import { BIN } from '../support/launch.ts'
import { run, started } from '../support/serve-program.ts'

/** Installed clients over HTTPS and behind a corporate proxy, and the server's messages about clients that cannot connect. */

const READ_WITH_URLLIB = `
import json, os, ssl, urllib.request
context = ssl.create_default_context()
# As Python does it from 3.13 on.
context.verify_flags |= ssl.VERIFY_X509_STRICT
headers = {"Authorization": "Bearer " + os.environ["SEO_SANDBOX_TOKEN"]}
request = urllib.request.Request(os.environ["SEO_SANDBOX_URL"] + "/api/v1/me", headers=headers)
opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))
print(json.load(opener.open(request))["name"])
`

const CLIENTS = {
  'client.js': `
    const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token } = process.env
    const headers = { authorization: 'Bearer ' + token }
    fetch(url + '/api/v1/me', { headers }).then(async (response) => console.log((await response.json()).name))
  `,
  'axios.mjs': `
    import axios from ${JSON.stringify(import.meta.resolve('axios'))}
    const { SEO_SANDBOX_URL: baseURL, SEO_SANDBOX_TOKEN: token } = process.env
    const headers = { authorization: 'Bearer ' + token }
    console.log((await axios.get('/api/v1/me', { baseURL, headers })).data.name)
  `,
  'with_urllib.py': READ_WITH_URLLIB,
  'with_requests.py': `
import os, requests
headers = {"Authorization": "Bearer " + os.environ["SEO_SANDBOX_TOKEN"]}
print(requests.get(os.environ["SEO_SANDBOX_URL"] + "/api/v1/me", headers=headers).json()["name"])
`,
  'client.php': `<?php
$http = ['header' => 'Authorization: Bearer ' . getenv('SEO_SANDBOX_TOKEN')];
$answer = file_get_contents(getenv('SEO_SANDBOX_URL') . '/api/v1/me', false, stream_context_create(['http' => $http]));
echo json_decode($answer)->name, "\\n";
`,
  'guzzle.php': `<?php
require '/usr/share/php/GuzzleHttp/autoload.php';
$client = new GuzzleHttp\\Client(['verify' => getenv('SSL_CERT_FILE') ?: true]);
$headers = ['Authorization' => 'Bearer ' . getenv('SEO_SANDBOX_TOKEN')];
echo json_decode($client->get(getenv('SEO_SANDBOX_URL') . '/api/v1/me', ['headers' => $headers])->getBody())->name, "\\n";
`,
  'client.sh': `
curl --fail --silent --show-error -H "Authorization: Bearer $SEO_SANDBOX_TOKEN" "$SEO_SANDBOX_URL/api/v1/me" |
  sed 's/.*"name":"\\([^"]*\\)".*/\\1/'
echo
`,
}

/** A proxy that nothing listens on, under each name. */
const PROXIES = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) =>
    [name, name.toLowerCase()].map((variable) => [variable, 'http://127.0.0.1:9']),
  ),
)

const LINES: Record<string, [program: string, file: string]> = {
  curl: ['sh', 'client.sh'],
  'urllib of Python': ['python3', 'with_urllib.py'],
  'requests of Python': ['/usr/bin/python3', 'with_requests.py'],
  'streams of PHP': ['php', 'client.php'],
  Guzzle: ['php', 'guzzle.php'],
  'fetch of Node': [process.execPath, 'client.js'],
  axios: [process.execPath, 'axios.mjs'],
}

describe.concurrent.each([
  ['HTTP', []],
  ['HTTPS', ['--https']],
])('behind a corporate proxy that cannot reach it, a sandbox with %s is read by', (_, flags) => {
  test.for(Object.entries(LINES))(
    '%s',
    { tags: ['core'] },
    async ([, [program, file]], { expect }) => {
      await using folder = await aFolder(CLIENTS)
      await using command = exec([...flags, '--', program, file], {
        cwd: folder.path(),
        env: PROXIES,
      })
      const { code, stdout, stderr } = await command.outcome
      expect({ code, stdout: stdout.trim(), stderr }).toEqual({
        code: 0,
        stdout: 'Sandbox agency',
        stderr: '',
      })
    },
  )
})

/** A client that uses the proxy nevertheless. */
const STUBBORN = [
  'env',
  '-u',
  'NO_PROXY',
  '-u',
  'no_proxy',
  'sh',
  '-c',
  'curl -s $SEO_SANDBOX_URL; exit 0',
]

describe.concurrent('a client that ignores NO_PROXY made no request, so the proxies are named', () => {
  const EXPECTED =
    'HTTP_PROXY, http_proxy are set: a client that ignores NO_PROXY sends its requests to a proxy instead of the sandbox.'
  const env = {
    HTTP_PROXY: 'http://127.0.0.1:9',
    http_proxy: 'http://127.0.0.1:9',
    https_proxy: '',
  }

  test('by exec --review', async ({ expect }) => {
    await using command = exec(['--review', '--', ...STUBBORN], { env })
    expect((await command.outcome).stderr).toContain(EXPECTED)
  })

  test('by rehearse', async ({ expect }) => {
    await using folder = await aFolder({})
    const line: [string, ...string[]] = [process.execPath, BIN, 'rehearse']
    const args = ['--profile', 'smoke', '--until', '1', '--', ...STUBBORN]
    await using command = exec(args, { env, line, cwd: folder.path() })
    expect((await command.outcome).stdout).toContain(EXPECTED)
  })
})

test('a rehearsed command trusts its sandbox with HTTPS', async ({ expect }) => {
  await using folder = await aFolder(CLIENTS)
  const line: [string, ...string[]] = [process.execPath, BIN, 'rehearse', '--https', '--json']
  const args = ['--profile', 'smoke', '--until', '1', '--', 'sh', 'client.sh']
  await using command = exec(args, { line, cwd: folder.path() })
  expect(JSON.parse((await command.outcome).stdout)).toMatchObject({
    requests: 1,
    runs: [{ ended: 'done' }],
  })
})

test('within exec --https, traffic and a run of its own find the server, and its files go with it', async ({
  expect,
}) => {
  const inner = [...EXEC, '--https', '--', 'sh', '-c', 'curl -s -o /dev/null $SEO_SANDBOX_URL']
  const script = `
    "$0" "${BIN}" traffic &&
    ${inner.map((word) => `'${word}'`).join(' ')} &&
    curl -s "$SEO_SANDBOX_CONTROL_URL/health" > /dev/null &&
    echo "$SEO_SANDBOX_CA" && grep -c BEGIN "$JAVA_CA" && ls "$(dirname "$SEO_SANDBOX_CA")"`
  const args = ['--https', '--env', 'JAVA_CA=ca', '--', 'sh', '-c', script, process.execPath]
  await using command = exec(args)
  const { code, stdout } = await command.outcome
  const [none, ca = '', ...rest] = stdout.trim().split('\n')
  expect([code, none, rest]).toEqual([
    0,
    'There have been no requests yet.',
    ['1', 'bundle.pem', 'ca.pem', 'node.pem'],
  ])
  expect(existsSync(dirname(ca))).toBe(false)
})

test('exec with a certificate of the user leaves the trust to them', async ({ expect }) => {
  const { cert, key, ca } = issueCertificate(['127.0.0.1'])
  await using folder = await aFolder({ ...CLIENTS, 'cert.pem': cert, 'key.pem': key, 'ca.pem': ca })
  const flags = ['--https-cert', 'cert.pem', '--https-key', 'key.pem']
  const cwd = folder.path()
  await using trusting = exec([...flags, '--', 'sh', 'client.sh'], {
    cwd,
    env: { CURL_CA_BUNDLE: folder.path('ca.pem') },
  })
  expect((await trusting.outcome).stdout.trim()).toBe('Sandbox agency')
  await using asking = exec([...flags, '--env', 'A=ca', '--', 'true'], { cwd })
  expect(await asking.outcome).toMatchObject({
    code: 125,
    stderr: expect.stringContaining('--env A=ca: The server has no CA certificate of its own.'),
  })
})

describe.concurrent('a server logs', () => {
  test('the file of its CA, which goes when it stops, and which its banner has curl trust', async ({
    expect,
  }) => {
    await using program = run(['--https', '--port', '0'])
    await program.until(/Ctrl-C stops it/)
    const [, ca = ''] = /\n {2}CA +(\S+), /.exec(program.stdout()) ?? []
    const [, line = ''] = /\n {2}Try +(.+)\n/.exec(program.stdout()) ?? []
    const pasted = spawnSync('sh', ['-c', `${line} -o /dev/null -w '%{http_code}'`])
    expect([pasted.stdout.toString(), existsSync(ca)]).toEqual(['200', true])
    program.kill('SIGTERM')
    expect([await program.ended, existsSync(ca)]).toEqual([0, false])
  })

  test('a client that speaks TLS to the plain port', async ({ expect }) => {
    await using program = run(['--port', '0', '--json'])
    const { url } = await started(program)
    spawnSync('curl', ['-s', url.replace('http:', 'https:')])
    expect(JSON.parse(await program.until(/^.*TLS.*$/m))).toEqual({
      event: 'connection-error',
      message: 'A client spoke TLS to this port, which is plain HTTP: start with --https',
    })
  })

  test('a client that speaks plain HTTP to HTTPS, and one that does not trust it', async ({
    expect,
  }) => {
    await using folder = await aFolder({ 'ca.pem': issueCertificate(['127.0.0.1']).ca })
    await using program = run(['--port', '0', '--https'])
    const url = await program.until(/https:\/\/127\.0\.0\.1:\d+/)
    spawnSync('curl', ['-s', url.replace('https:', 'http:')])
    spawnSync('curl', ['-s', '--cacert', folder.path('ca.pem'), url])
    const lines = [
      await program.until(/^ {2}A client spoke .+$/m),
      await program.until(/^ {2}A client did not .+$/m),
    ]
    expect(lines).toEqual([
      '  A client spoke plain HTTP to this port, which is HTTPS: have it use https://',
      '  A client did not trust the certificate of this server: give it the CA certificate',
    ])
  })
})

test.for<[command: string[], code: number]>([
  [['serve'], 2],
  [['exec', '--', 'true'], 125],
])(
  '%j with HTTPS needs a folder for temporary files',
  async ([[name = '', ...rest], code], { expect }) => {
    await using program = run([name, '--https', '--port', '0', ...rest], {
      env: { TMPDIR: '/gone' },
    })
    expect([await program.ended, program.stdout()]).toEqual([code, ''])
    expect(program.stderr()).toContain(
      'error /gone: The CA certificate is not written. Its folder does not exist. Create it.',
    )
  },
)

describe.concurrent('exec warns of a client that speaks TLS to the plain port', () => {
  const SENTENCE = 'A client spoke TLS to this port, which is plain HTTP: start with --https'

  test.for<[flag: string, stderr: string]>([
    ['--no-console', `warning ${SENTENCE}\n`],
    ['--json', `{"event":"connection-error","message":"${SENTENCE}"}\n`],
    ['--quiet', ''],
  ])('with %s', async ([flag, expected], { expect }) => {
    const script = 'curl -s "https${SEO_SANDBOX_URL#http}"; exit 0'
    await using command = exec([flag, '--', 'sh', '-c', script])
    const { stderr } = await command.outcome
    expect(stderr.replace(/^\{"event":"ended".*\n/m, '')).toBe(expected)
  })
})
