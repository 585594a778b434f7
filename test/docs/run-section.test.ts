import { describe, test } from 'vitest'
import { aFolder } from '../support/cli.ts'
import { requirePrograms } from './programs.ts'
import { runSection } from './run-section.ts'
import { readSections } from './sections.ts'

/**
 * Checks that the examples of the guides are really run: each of these is wrong, and is reported
 * with its line.
 */

const FENCE = '```'
const URL = 'http://127.0.0.1:4010'

type Example = [language: string, code: string]

function run(...examples: Example[]): Promise<void> {
  const fenced = examples.map(([language, code]) => `${FENCE}${language}\n${code}\n${FENCE}\n`)
  const [section = { heading: '', blocks: [] }] = readSections(`# A guide\n${fenced.join('')}`)
  return runSection(section)
}

describe.concurrent('a wrong example is reported', () => {
  test.for<[title: string, examples: Example[], message: RegExp]>([
    ['in a language that nothing runs', [['cobol', 'STOP RUN.']], /^Line 3: Nothing .* "cobol"/],
    ['without a language', [['', 'true']], /^Line 3: Nothing runs a block in ""/],
    ['whose command does not exist', [['sh', 'npx no-such-tool']], /^Line 3: Exit code 127/],
    ['whose first command fails', [['sh', 'false; true']], /^Line 3: Exit code 1 of: false/],
    ['whose request is rejected', [['sh', `curl ${URL}/api/v1/me`]], /^Line 3: .* 22 [^]*401/],
    ['whose server does not start', [['sh', 'npx seo-sandbox --port x']], /^Line 3: Exit code 2 /],
    [
      'whose response is different',
      [
        ['sh', 'echo "[1]"'],
        ['json', '[2]'],
      ],
      /^Line 6: [^]*deep/,
    ],
    [
      'whose types do not fit',
      [['ts', 'const id: number = "1"']],
      /line-3\.ts\(3,7\): error TS2322/,
    ],
    ['that throws', [['ts', 'throw new Error("so")']], /^Line 3: [^]*Error: so/],
    [
      'in Python whose request is rejected',
      [
        [
          'python',
          `# client.py\nimport urllib.request\nurllib.request.urlopen("${URL}/api/v1/me")`,
        ],
        ['sh', 'python3 client.py'],
      ],
      /^Line 8: [^]*401/,
    ],
    [
      'in PHP whose request is rejected',
      [
        [
          'php',
          `<?php\n// client.php\nexit(file_get_contents("${URL}/api/v1/me") === false ? 1 : 0);`,
        ],
        ['sh', 'php client.php'],
      ],
      /^Line 8: [^]*401/,
    ],
    ['in a file without a name', [['python', 'pass']], /^Line 3: Its first line has to name/],
    ['whose fixture is rejected', [['yaml', 'version: 2']], /^Line 3: [^]*agency\.yaml:1:10/],
  ])('%s', async ([, examples, message], { expect }) => {
    await expect(run(...examples)).rejects.toThrow(message)
  })
})

test('missing programs are an error that says what to install', async ({ expect }) => {
  await using folder = await aFolder({
    bash: '',
    openssl: '',
    python3: '',
    pdftotext: '',
    qpdf: '',
  })
  expect(() => requirePrograms(folder.path())).toThrow(
    'These tests need curl, go, javac, php, pytest, not found on the PATH: install what is missing, on Debian with `apt-get install curl golang-go default-jdk-headless php-cli python3-pytest`.',
  )
})
