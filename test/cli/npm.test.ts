import { expect, test } from 'vitest'
import { isRunByNpm } from '../../src/cli/stopping.ts'

test.for<[script: string | undefined, isRunByNpm: boolean]>([
  [undefined, true],
  ['seo-sandbox', true],
  ["'seo-sandbox'", true],
  ['node bin/seo-sandbox.js', true],
  ['cd api && PORT=1 ./node_modules/.bin/seo-sandbox >log.txt 2>&1', true],
  ['seo-sandbox &> log.txt', true],
  ['seo-sandbox |& tee log.txt', true],
  ['seo-sandbox &', false],
  ['seo-sandbox & vitest run', false],
  ['seo-sandbox 2>&1 >log.txt& wait-on tcp:4010', false],
  ['nohup seo-sandbox', false],
  ['setsid seo-sandbox', false],
  ['vitest run', false],
  ['./start.sh', false],
])('whether npm runs it and waits for it, by the script %s: %s', ([script, expected]) => {
  const env = script === undefined ? {} : { npm_lifecycle_script: script }
  expect(isRunByNpm({ npm_command: 'run-script', ...env })).toBe(expected)
  expect(isRunByNpm(env)).toBe(false)
})
