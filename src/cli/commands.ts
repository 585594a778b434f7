import { EXEC_EXIT_CODES, EXEC_OPTIONS, EXEC_SERVE_OPTIONS } from './exec/exec-options.ts'
import {
  EXPORT_OPTIONS,
  EXPORT_SERVE_OPTIONS,
  OBSERVE_OPTIONS,
  REPORT_OPTION,
  REQUIRE_OPTION,
} from './command-options.ts'
import { COMPARE_OPTIONS } from './compare-options.ts'
import { REHEARSE_OPTIONS, REHEARSE_SERVE_OPTIONS } from './rehearse/rehearse-options.ts'
import {
  environmentName,
  pickServeOptions,
  POLICIES_OPTION,
  SERVE_OPTIONS,
} from './serve-options.ts'
import { LOCALES_BY_COUNTRY } from '../contract/locale-names.ts'
import type { CliCommand } from './cli-command.ts'

const SERVE: CliCommand = {
  name: 'serve',
  description: 'serve the API over HTTP (the default command)',
  options: SERVE_OPTIONS,
  notes: `Every option of serve can also be set by an environment variable, like
${environmentName('port')} or ${environmentName('rate-limit')}, and by a key of seo-sandbox.config.yaml in
the current folder. The command line takes precedence over the environment, and the
environment over the file.`,
  exitCodes: [
    ['0', 'stopped'],
    ['1', 'the state file could not be written'],
    ['2', 'usage error, or a server that cannot start'],
    ['130', 'a second Ctrl-C'],
  ],
  prints: 'one object per line: listening first, then each request, and the reason that it stops',
  page: 'docs/any-language.md',
  examples: [
    '',
    '--demo --locale da',
    '--fixtures agency.yaml --now 2026-03-15 --frozen',
    'serve --port 0 --rate-limit unlimited --policy foreign-project=403',
  ],
  run: async (_, flags) => (await import('./serve.ts')).serve(flags),
}

const EXEC: CliCommand = {
  name: 'exec',
  words: '<command...>',
  takesCommand: true,
  description: 'run a command with its own sandbox, which stops with the command',
  options: EXEC_OPTIONS,
  shared: pickServeOptions(EXEC_SERVE_OPTIONS),
  notes: `The command follows --. It finds its sandbox through environment variables: SEO_SANDBOX_URL (the API is at /api/v1 below it),
SEO_SANDBOX_TOKEN, SEO_SANDBOX_CONTROL_URL and, if there is a key, SEO_SANDBOX_ADMIN_KEY. --env sets variables with names of
your own to one of url, api (the URL with /api/v1), token, control, key or ca. When the command ends, processes that it leaves
running are ended as well.

--review judges the client in the command by its requests, and prints the review to standard error. If the review shows a
mistake, it saves the last session, beside the first file of --report or in a temporary folder. In a job of GitHub Actions it
adds the review to the job's summary, and shows findings as annotations. --require, or require in seo-sandbox.config.yaml,
sets requirements of the review; waive in that file lets mistakes pass until a given day. --profile storm runs the command
with a refused token, then while the API fails now and then, and finally a day later; the exit code is that of the last run.

--vary runs the command twice, then once under each other option of the policies that its answers rested on, each time in a
new world with a stopped clock, and names the options under which it ends differently.

The options of serve apply here too, also as environment variables and in seo-sandbox.config.yaml, except for the port, which
only --port sets.`,
  exitCodes: [
    [
      "the command's own",
      'but 1 instead of 0 if the client failed --review, got no 200, did not meet --require, or with --vary depends on a policy',
    ],
    ['124', 'ended by --timeout'],
    ['125', 'usage error, or a failure of the sandbox'],
    ['126', 'the command cannot be run'],
    ['127', 'the command does not exist'],
    ['128 + n', 'ended by signal n'],
  ],
  prints: 'on standard error, the end of the command, then with --review the review',
  page: 'docs/judging.md',
  examples: [
    'exec -- sh sync.sh',
    'exec --review -- python3 sync.py',
    'exec --require warnings -- python3 sync.py',
    'exec --demo --profile storm -- python3 sync.py',
    'exec --demo --rate-limit unlimited --vary -- python3 sync.py',
    'exec --env API_BASE=api --env API_TOKEN=token -- python3 sync.py',
    'exec --timeout 5m --demo --seed 7 -- php sync.php',
  ],
  failureCode: EXEC_EXIT_CODES.failed,
  run: async (line, flags) => (await import('./exec/exec.ts')).exec(line, flags),
}

const REHEARSE: CliCommand = {
  name: 'rehearse',
  words: '<command...>',
  takesCommand: true,
  description: 'run a client for 40 days or a year, and judge it',
  options: REHEARSE_OPTIONS,
  shared: pickServeOptions(REHEARSE_SERVE_OPTIONS),
  notes: `The command follows --. It is one run of your client, such as that of each morning, and is started anew for each run, with the
variables of exec and SEO_SANDBOX_RUN_NUMBER. It has to exit with 0 when the run is done, and with any other code if something
is missing. Its world is the demo unless you choose another.

Some runs are disturbed: by an error, a lost connection, an outage, or because the command is killed. Between runs the world
advances by a day: reports are completed, fail and are regenerated; projects come and go. --dry-run prints the events of each
run.

--client-state names the folder of files that the command keeps between runs. It has to be new, empty, or left by an earlier
rehearsal. The output of each run and a session for each month are kept beside the first file of --report, in a folder whose
name ends in -runs. The report shows for each finding the --seed, --start and --until that reproduce it.

--client-clock env sets SEO_SANDBOX_CLIENT_NOW to the start of the run, for a command that reads the time from there. No
response asks the command to wait for more than 2 s, and its token has no limit except in the run that tests one.

The report is printed to stdout; with --json it is one object.`,
  exitCodes: [
    ['0', 'the client passed'],
    ['1', 'the client failed'],
    ['124', 'the only mistake was that --timeout ended runs'],
    ['125', 'usage error, a world that does not fit, or a failure of the sandbox'],
    ['126', 'the command cannot be run'],
    ['127', 'the command does not exist'],
    ['128 + n', 'ended by signal n (Ctrl-C: 130, with a report of the runs so far)'],
  ],
  prints: 'the report, as one object',
  page: 'docs/judging.md',
  examples: [
    'rehearse --profile smoke --client-state state -- python3 sync.py state',
    'rehearse --profile year --client-state state --report html=rehearsal.html -- php sync.php state',
    'rehearse --dry-run --start 2026-01-01 -- python3 sync.py',
    'rehearse --client-clock env --client-state state -- python3 sync.py state',
    'rehearse --start 2026-01-01 --until 38 --client-state state -- python3 sync.py state',
  ],
  failureCode: EXEC_EXIT_CODES.failed,
  run: async (line, flags) =>
    (await import('./rehearse/rehearse-command.ts')).rehearse(line, flags),
}

const GENERATE: CliCommand = {
  name: 'generate',
  description: 'write a generated world as an editable fixture',
  options: {
    out: {
      value: '<file>',
      description: 'the file to write, as JSON if its name ends in .json; stdout if omitted',
    },
    demo: {
      description:
        'write the input of the demo instead, with names that you can change; its reports progress',
    },
    force: { description: 'overwrite an existing file, also through a link' },
    projects: { value: '<number>', description: 'number of projects', default: 5 },
    agencies: { value: '<number>', description: 'number of agencies', default: 1 },
    keywords: { value: '<number>', description: 'number of keywords per project', default: 5 },
    reports: {
      value: '<number>',
      description: 'number of reports per project that are due so far',
      default: 4,
    },
    locale: {
      value: '<name>',
      description: `the country, or several; en if omitted: ${LOCALES_BY_COUNTRY}`,
      repeats: true,
    },
    seed: { value: '<seed>', description: 'the seed; the same seed gives the same world' },
    now: { value: '<datetime>', description: 'start of the world clock' },
    json: {
      description: 'print a summary as one JSON object; without --out, the fixture as JSON',
    },
  },
  notes: `Served with --fixtures, the file gives the same responses as a world generated with the same numbers, seed and
start time. The defaults here are smaller than those of a world that is served with --projects. A large world loads
much faster from JSON than from YAML.

--demo writes some thirty lines instead: the figures of the demo, its agency and five of its companies, all by name. Change
them to those of a customer. Served with --fixtures, its reports progress with the world clock; omitted figures are those of
the demo.`,
  prints: 'a summary, as one object; without --out the fixture itself',
  page: 'docs/fixtures.md',
  examples: [
    'generate --out agency.yaml',
    'generate --demo --out demo.yaml --locale da',
    'generate --out large.json --projects 200',
    'generate --projects 2 --locale da --seed spring',
  ],
  run: async (_, flags) => (await import('./generate.ts')).generate(flags),
}

const EXPORT: CliCommand = {
  name: 'export',
  description: 'write the console as static files, or a Postman collection',
  options: EXPORT_OPTIONS,
  shared: pickServeOptions(EXPORT_SERVE_OPTIONS),
  notes: `Everyone who opens the page gets a world of their own in the tab, which nobody else can see: no request leaves the browser, and
links of reports lead to pages in the tab. The folder has to be new, empty, or written by an earlier export.

The options of a world are those of serve, also from the environment and from seo-sandbox.config.yaml. Everything that the
world begins with is in the files, including bearer values, and anyone can read it.

The collection, which Bruno and Insomnia can also import, has a request and a saved response for each endpoint. Its variables
base_url and token are those of serve with the default world, regardless of the world of the site.`,
  prints: 'the files written, as one object',
  page: 'docs/static-demo.md',
  examples: [
    'export --out demo-site --demo',
    'export --out public/sandbox --fixtures agency.yaml --title "Lake & Moor" --base /sandbox/',
    'export --postman seo-sandbox.postman_collection.json',
  ],
  run: async (_, flags) => (await import('./export.ts')).exportFiles(flags),
}

const VALIDATE: CliCommand = {
  name: 'validate',
  words: '[path...]',
  description: 'check fixture files and folders as serve would load them',
  options: {
    json: { description: 'print the problems as one JSON array on stdout' },
  },
  notes: `Without a path it checks the fixtures named by ${environmentName('fixtures')} or seo-sandbox.config.yaml.`,
  exitCodes: [
    ['0', 'the fixtures are valid'],
    ['1', 'the fixtures have problems'],
  ],
  prints: 'the problems, as one array of file, line, column, path and message',
  page: 'docs/fixtures.md',
  examples: [
    'validate agency.yaml',
    'validate worlds/base.yaml worlds/north',
    'validate --json worlds',
  ],
  run: async (paths, { json }) =>
    (await import('./validate.ts')).validate(paths, { json: json === true }),
}

const INIT: CliCommand = {
  name: 'init',
  words: '[folder]',
  description: 'write a fixture, and a test for the test runner of your project',
  options: {
    agents: {
      description: 'write only a block for coding agents, into AGENTS.md',
    },
    json: { description: 'print the files written and the next commands, as one JSON object' },
  },
  notes: `The folder is the current one by default. The test is for Vitest, Jest, Playwright, Mocha, Bun or Deno, if the project uses
one of them, otherwise for node:test. Existing files are never overwritten.

--agents writes a block for coding agents into AGENTS.md of the folder: a description of the sandbox, three commands, the pages
of its documentation, and the final check of a client. Run again, it renews the block. A CLAUDE.md that does not name AGENTS.md
gets a line that refers to it.`,
  prints: 'the files written and the next commands, as one object',
  page: 'docs/test-runners.md',
  examples: ['init', 'init test', 'init --agents'],
  run: async ([folder = '.'], { agents, json }) => {
    const how = { json: json === true }
    return agents === true
      ? (await import('./init-agents.ts')).initAgents(folder, how)
      : (await import('./init.ts')).init(folder, how)
  },
}

const LIST_SCENARIOS: CliCommand = {
  name: 'scenarios',
  description: 'list the scenarios: small worlds that each show one edge case',
  options: {
    json: { description: 'print the list as one JSON array' },
  },
  notes: `Serve one with --scenario NAME. In JavaScript it is createSandbox({ scenario }).`,
  prints: 'the scenarios, as one array',
  page: 'docs/fixtures.md',
  examples: ['scenarios', '--scenario late-finisher'],
  run: async (_, { json }) =>
    (await import('./scenarios.ts')).printScenarios({ json: json === true }),
}

const SHOW_GAPS: CliCommand = {
  name: 'gaps',
  words: '[words...]',
  description: 'list the open questions of the specification, with the current settings',
  options: {
    policy: { value: '<name=value>', description: 'a policy to set in addition', repeats: true },
    policies: POLICIES_OPTION,
    set: { description: 'only policies that are not at their default' },
    json: { description: 'print the list as one JSON array' },
  },
  notes: `Words filter the list: an id, a section of the specification, or a text. The list marks the options in force, according
to ${environmentName('policy')}, seo-sandbox.config.yaml and --policy. For the policies of a fixture, ask the server that serves
it: GET /_sandbox/policies.`,
  prints: 'the gaps, as one array',
  page: 'docs/policies.md',
  examples: ['gaps', 'gaps 4.5', 'gaps rate window', 'gaps --set --policy foreign-project=403'],
  run: async (words, flags) => (await import('./gaps.ts')).showGaps(words, flags),
}

const PARTNERS: CliCommand = {
  name: 'partners',
  words: '<action> [partner]',
  actions: ['add', 'list', 'link', 'renew', 'revoke', 'keys'],
  surplusHint: 'Put a name of several words in quotation marks.',
  description: 'invite partners to worlds of a store, each until a date',
  options: {
    expires: {
      value: '<duration>',
      description: 'lifetime of the world from now on, like P30D or PT12H',
      default: 'P30D',
    },
    grace: {
      value: '<duration>',
      description:
        'period after that in which it can still be renewed; P30D, or as before, if omitted',
    },
    link: { description: 'renew: create a new link in place of the last one' },
    search: { value: '<text>', description: 'list: only partners whose name contains this' },
    failed: { description: 'list: only partners whose client fails its review or got no 200' },
    key: { description: 'renew: create another key, besides the existing ones' },
    revoke: { value: '<key>', description: 'keys: revoke a key, by its id or by the key itself' },
    'public-url': {
      value: '<url>',
      description: 'the URL at which clients reach the servers, for the link',
      default: 'http://127.0.0.1:4010',
    },
    json: { description: 'print the result as JSON' },
  },
  shared: pickServeOptions(['demo', 'scenario', 'fixtures', 'projects', 'locale', 'store']),
  notes: `partners add NAME creates a world, and prints its tokens, a key that opens the control API for that world alone, and a
message to send, with a link that opens the console on it and works once. They are not shown again. No two partners have the
same name. partners link PARTNER prints the message with a new link, in place of the last one. partners list shows the usage of
each partner and the review of its client. partners renew PARTNER extends the lifetime of a world, even of an expired one, and
partners revoke PARTNER drops the world at once. partners keys PARTNER lists the ids of the keys of its world, at most ten.
PARTNER is an id or a name.

--store and --public-url are those of serve, also from the environment and from seo-sandbox.config.yaml. Settings
that are not given for a world are those of the default world of the store.`,
  prints: 'the partner, its link or its keys, as one object; an array for list',
  page: 'docs/hosting/README.md',
  examples: [
    'partners add Acme --demo --locale da --store redis://127.0.0.1:6379 --public-url https://seo.example.com',
    'partners renew Acme --expires P90D --link',
    'partners list --failed',
    'partners link Acme',
    'partners keys Acme --revoke 3f9a0c51d2e7',
  ],
  run: async (words, flags) => (await import('./partners.ts')).managePartners(words, flags),
}

const REPLAY: CliCommand = {
  name: 'replay',
  words: '<file>',
  description: 'replay a recorded session, and show the first response that differs',
  options: {
    json: { description: 'print the result as one JSON object on stdout' },
  },
  notes: `A session comes from exec --review, from sandbox.session(), or from GET /_sandbox/session of a server. It contains no bearer values.`,
  exitCodes: [
    ['0', 'all responses are the same'],
    ['1', 'a response differs'],
  ],
  prints: 'the number of steps and the difference, as one object',
  page: 'docs/journal.md',
  examples: ['replay bug.json', 'replay --json bug.json'],
  run: async ([file = ''], { json }) =>
    (await import('./replay.ts')).replay(file, { json: json === true }),
}

const REVIEW: CliCommand = {
  name: 'review',
  words: '[session]',
  description: 'review the client of a recorded session, or of a running server',
  options: {
    report: REPORT_OPTION,
    require: REQUIRE_OPTION,
    projects: {
      value: '<id>',
      description: 'a project whose reports to list; the projects that were read if omitted',
      repeats: true,
    },
    ...OBSERVE_OPTIONS,
    json: { description: 'print the review as one JSON object on stdout' },
  },
  shared: pickServeOptions(['admin-key']),
  notes: `The session is replayed, and the client that sent its requests is reviewed as by exec --review. A session comes from
exec --review, from sandbox.session(), or from GET /_sandbox/session of a server. It begins with the last reset.
Without a session, the client of a running server is reviewed, by the requests since its world was created, reset, or replaced.
The review of a session has the requirements and waivers of its run; --require and seo-sandbox.config.yaml add to them.`,
  exitCodes: [
    ['0', 'the client passed, or made no request'],
    ['1', 'the client failed, got no 200, or did not meet --require'],
  ],
  prints: 'the review, as one object',
  page: 'docs/judging.md',
  examples: [
    'review review.session.jsonl',
    'review --url http://127.0.0.1:4010',
    'review review.session.jsonl --projects 101 --report html=review.html --report junit=review.xml',
  ],
  run: async ([file], flags) => (await import('./review.ts')).review(file, flags),
}

const TRAFFIC: CliCommand = {
  name: 'traffic',
  words: '[session]',
  description:
    'show the requests and commands of a server or a session, with the reason for each response',
  options: {
    filter: {
      value: '<name=value>',
      description: 'only requests that match, like status=4xx or project=101',
      repeats: true,
    },
    limit: { value: '<number>', description: 'maximum number, the latest ones', default: 50 },
    ...OBSERVE_OPTIONS,
    json: { description: 'print the list as one JSON array on stdout' },
  },
  shared: pickServeOptions(['admin-key']),
  notes: `A line has the sequence, the world clock, the status, the request, the name of its token and the reason for the response,
with the section of the specification that selected a report. The criteria are those of GET /_sandbox/requests; with
criteria, commands are left out.`,
  prints: 'the requests and commands, as one array',
  page: 'docs/journal.md',
  examples: [
    'traffic',
    'traffic --filter status=4xx --filter project=101',
    'traffic review.session.jsonl --limit 500',
  ],
  run: async ([file], flags) => (await import('./observe/traffic.ts')).traffic(file, flags),
}

const WHY: CliCommand = {
  name: 'why',
  words: '<project> [session]',
  description: 'explain the latest report of a project: the reason, until when, and the next one',
  options: {
    at: {
      value: '<datetime>',
      description: 'the time to explain, like 2026-03-15 or now+3d; now if omitted',
    },
    ...OBSERVE_OPTIONS,
    json: { description: 'print the explanation as one JSON object on stdout' },
  },
  shared: pickServeOptions(['admin-key']),
  notes: `Explains latest and last-generated by the world clock, of a running server or at the end of a session.`,
  prints: 'the explanation, as one object',
  page: 'docs/time-and-reports.md',
  examples: ['why 101', 'why 101 --at 2026-04-01', 'why 101 review.session.jsonl'],
  run: async ([project = '', file], flags) =>
    (await import('./observe/why.ts')).why(project, file, flags),
}

const COMPARE: CliCommand = {
  name: 'compare',
  description: 'compare the real service with a sandbox, and copy your own agency from it',
  options: COMPARE_OPTIONS,
  notes: `It sends GET requests alone, one after the other over one connection, and uses a share of the token's rate limits: what a fixture
needs, and some fifty questions about what the specification leaves open. A sandbox answers the same, as of the same time. Where it
answers otherwise, compare looks for the policy that makes both the same. Nothing of what it reads leaves this machine.

--out writes what was read as a fixture. Names, texts and addresses in it are others of the same language, the same ones
in each run on this machine; --raw keeps them. --lock remembers what the service does, and compares with that later.

It waits at least as long as a 429 asks. After a 5xx it pauses for 30, 60 and 120 s, and then stops; after an interruption, it
continues with --resume. The token is read from the variable of --token-env, and written nowhere.`,
  exitCodes: [
    ['0', 'finished, also with differences'],
    ['1', 'stopped early, no fixture although one was requested, or the lock is contradicted'],
    ['130', 'Ctrl-C'],
  ],
  prints: 'the report, as one object; with --plan the plan',
  page: 'docs/compare.md',
  examples: [
    'compare --url https://seo.example.com --plan',
    'compare --url https://seo.example.com --out agency.yaml --resume agency.resume',
    'compare --url https://seo.example.com --fixtures agency.yaml --lock policies.lock.yaml',
    'compare --url https://seo.example.com --report markdown=compare.md --report junit=compare.xml',
  ],
  run: async (_, flags) => (await import('./compare.ts')).compareService(flags),
}

/** Commands that the main help lists with a description, the default command first. */
export const MAIN_COMMANDS: readonly [CliCommand, ...CliCommand[]] = [
  SERVE,
  INIT,
  VALIDATE,
  GENERATE,
  EXEC,
  REHEARSE,
  EXPORT,
  PARTNERS,
]

/** Commands that the main help only names. */
export const MORE_COMMANDS: readonly CliCommand[] = [
  LIST_SCENARIOS,
  SHOW_GAPS,
  TRAFFIC,
  WHY,
  REPLAY,
  REVIEW,
  COMPARE,
]

export const COMMANDS: readonly CliCommand[] = [...MAIN_COMMANDS, ...MORE_COMMANDS]
