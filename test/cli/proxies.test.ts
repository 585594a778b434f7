import { describe, expect, test } from 'vitest'
import { bypassProxies } from '../../src/cli/exec/proxies.ts'

/** The environment of a command behind a corporate proxy; test/processes/https.test.ts has clients in it. */

describe('NO_PROXY and no_proxy', () => {
  const LOCAL = '127.0.0.1,localhost,::1'

  test.each<[title: string, env: NodeJS.ProcessEnv, upper: string, lower: string]>([
    ['are set', {}, LOCAL, LOCAL],
    [
      'keep what they have',
      { NO_PROXY: 'a.test, .b.test', no_proxy: 'c.test' },
      `a.test,.b.test,${LOCAL}`,
      `c.test,${LOCAL}`,
    ],
    [
      'have what the other has, which programs ignore from then on',
      { no_proxy: 'a.test', NO_PROXY: '' },
      `a.test,${LOCAL}`,
      `a.test,${LOCAL}`,
    ],
    [
      'list a host once',
      { NO_PROXY: 'localhost,127.0.0.1' },
      'localhost,127.0.0.1,::1',
      'localhost,127.0.0.1,::1',
    ],
    ['may mean all hosts', { NO_PROXY: '*' }, '*', '*'],
  ])('%s', (_, env, upper, lower) => {
    const expected = { NO_PROXY: upper, no_proxy: lower }
    expect(bypassProxies(env, 'http://127.0.0.1:4010')).toEqual(expected)
  })

  test('have the host of the server too', () => {
    const { NO_PROXY } = bypassProxies({}, 'https://[fd00::7]:4010')
    expect(NO_PROXY).toBe(`${LOCAL},fd00::7`)
  })
})
