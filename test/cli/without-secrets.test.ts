import { expect, test } from 'vitest'
import { withoutSecrets } from '../../src/cli/exec/exec-review.ts'

const hidden = (line: string[]) =>
  withoutSecrets(line, (text) => text.replaceAll('sandbox-agency', '[token 1]'))

test.for<[line: string[], shown: string]>([
  [['python3', 'sync.py'], 'python3 sync.py'],
  [['sh', '-c', 'echo "it\'s"'], String.raw`sh -c 'echo "it'\''s"'`],
  [['sync', '--token', 'abc', '--days', '3'], 'sync --token [hidden] --days 3'],
  [['sync', '--api-key=abc'], 'sync --api-key=[hidden]'],
  [
    ['env', 'API_TOKEN=abc', 'DB_PASSWORD=def', 'sync'],
    'env API_TOKEN=[hidden] DB_PASSWORD=[hidden] sync',
  ],
  [['curl', '-u', 'maja:abc', 'https://a.example'], 'curl -u [hidden] https://a.example'],
  [['curl', '--user', 'maja:abc'], 'curl --user [hidden]'],
  [['curl', 'https://maja:abc@a.example/x'], 'curl https://maja:[hidden]@a.example/x'],
  [
    ['curl', 'https://a.example/?token=abc&page=2'],
    "curl 'https://a.example/?token=[hidden]&page=2'",
  ],
  [['curl', '-H', 'Authorization: Bearer abc'], "curl -H 'Authorization: [hidden]'"],
  [['curl', '-H', 'X-Api-Key: abc'], "curl -H 'X-Api-Key: [hidden]'"],
  [
    ['sh', '-c', 'curl -H "Authorization: token abc" $URL && sync --password abc --days 3'],
    `sh -c 'curl -H "Authorization: [hidden]" $URL && sync --password [hidden] --days 3'`,
  ],
  [
    ['node', '-e', 'fetch(url, { headers: { "x-auth": "abc" } })'],
    `node -e 'fetch(url, { headers: { "x-auth": "[hidden]" } })'`,
  ],
  [['git', 'log', '--author', 'Maja'], 'git log --author Maja'],
  [['sh', '-c', 'sync\n  --all'], "sh -c 'sync --all'"],
  [['sync', 'sandbox-agency'], "sync '[token 1]'"],
])('%j is shown as %s', ([line, shown]) => {
  expect(hidden(line)).toBe(shown)
})

test('a long command is cut off after what is secret in it is hidden', () => {
  const text = hidden(['sh', '-c', `${'x'.repeat(480)} sandbox-agency ${'y'.repeat(90)}`])
  expect(text).toHaveLength(500)
  expect(text).toMatch(/x \[token 1\].*…$/)
})
