import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The step of action.yml that runs the command with `seo-sandbox exec`. Its inputs are in the environment, hidden from the
 * command. Node starts it, because Bash on Windows would rewrite arguments that look like paths.
 */

const {
  INPUT_COMMAND: command = '',
  INPUT_REQUIRE: required = '',
  INPUT_PROFILE: profile = '',
  INPUT_OPTIONS: options = '',
  INPUT_PROGRAM: program = '',
  ...env
} = process.env
const { RUNNER_TEMP: temporary = '', GITHUB_OUTPUT: output = '' } = env

if (command.trim() === '') {
  fail(
    'The input "command" is empty. Set it to the command that runs the client, such as npm test.',
  )
} else if (!/^\s*(?:--|$)/.test(options)) {
  // Its first word would be mistaken for the command.
  fail('The input "options" does not begin with an option. Write options like --demo --locale da.')
} else {
  review()
}

/** @param {string} message */
function fail(message) {
  process.stdout.write(`::error title=seo-sandbox::${message}\n`)
  process.exitCode = 1
}

/** Takes over the exit code of `exec`, and writes the outputs from its files. */
function review() {
  const folder = mkdtempSync(join(temporary, 'seo-sandbox-'))
  const [html, json] = [join(folder, 'review.html'), join(folder, 'review.json')]
  const session = join(folder, 'review.session.jsonl')
  const args = [
    // The session is saved beside the first report.
    `--report=html=${html}`,
    `--report=json=${json}`,
    `--report=junit=${join(folder, 'review.xml')}`,
    ...wordsOf(required).map((what) => `--require=${what}`),
    ...(profile === '' ? [] : [`--profile=${profile}`]),
    ...optionsOf(options),
  ]
  const shell = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', command]
  const { status } = spawnSync(process.execPath, [program, 'exec', ...args, '--', ...shell], {
    env,
    stdio: 'inherit',
  })
  const isReviewed = existsSync(json)
  const outputs = {
    verdict: isReviewed ? JSON.parse(readFileSync(json, 'utf8')).verdict : '',
    report: existsSync(html) ? html : '',
    session: existsSync(session) ? session : '',
  }
  for (const [name, value] of Object.entries(outputs)) appendFileSync(output, `${name}=${value}\n`)
  process.exitCode = status ?? 1
  if (status === 0 && !isReviewed) {
    fail('The client was not reviewed. Remove options that prevent it, such as --store and --help.')
  }
}

/** @param {string} text */
function wordsOf(text) {
  return text.split(/\s+/).filter((word) => word !== '')
}

/**
 * Each option with its value, which keeps its white space, but has no word that begins with `--`.
 *
 * @param {string} text
 */
function optionsOf(text) {
  const parts = text.trim().split(/\s+(?=--)/)
  return parts.filter((part) => part !== '').map((part) => part.replace(/\s+/, '='))
}
