import { readFile } from 'node:fs/promises'
import { createSandbox } from '../../src/index.ts'
import { fromRoot } from '../support/cli.ts'

/** Files that a reader of a guide has: a pattern of the code that reads each, and a function that creates it. */
export const ASSUMED_FILES: Record<string, { usedBy: RegExp; create: () => Promise<string> }> = {
  'agency.yaml': {
    usedBy: /(loadFixtures\('|dirname, '|--fixtures |validate )agency\.yaml/,
    create: () => readFile(fromRoot('fixtures/examples/agency.yaml'), 'utf8'),
  },
  'worlds/base.yaml': {
    usedBy: /validate .*worlds/,
    create: () => readFile(fromRoot('fixtures/examples/agency.yaml'), 'utf8'),
  },
  'worlds/north/agency.yaml': {
    usedBy: /validate .*worlds/,
    create: async () => 'version: 1\nagencies: [{ id: 900, name: North }]\n',
  },
  'sync.sh': {
    usedBy: /sh sync\.sh/,
    create: async () =>
      'curl --fail -H "Authorization: Bearer $SEO_SANDBOX_TOKEN" "$SEO_SANDBOX_URL/api/v1/me"\n',
  },
  'sync.py': {
    usedBy: /python3 sync\.py/,
    create: async () => 'import os\nassert os.environ["SEO_SANDBOX_URL"]\n',
  },
  'test_sync.py': {
    usedBy: /exec -- pytest$/m,
    create: async () => 'def test_nothing():\n    pass\n',
  },
  'sync.php': {
    usedBy: /php sync\.php/,
    create: async () => '<?php exit(getenv("SEO_SANDBOX_URL") === false ? 1 : 0);\n',
  },
  'test/README.md': { usedBy: /init test$/m, create: async () => '' },
  'bug.json': {
    usedBy: /replay (--json )?bug\.json/,
    create: createSession,
  },
  'review.session.jsonl': {
    usedBy: /(?:review|traffic|why \d+) review\.session\.jsonl/,
    create: createSession,
  },
  'out/review.session.jsonl': {
    usedBy: /review out\/review\.session\.jsonl/,
    create: createSession,
  },
}

async function createSession(): Promise<string> {
  return JSON.stringify(await (await createSandbox()).session())
}
