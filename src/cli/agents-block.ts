import { DOCS_INDEX } from './docs-index.ts'

interface AgentsBlock {
  /** Where the documentation is, from the folder of AGENTS.md. */
  docs: string
  /** The command line for a command of a package. */
  exec: (command: string) => string
}

/** What a client shows before it gets a real token, but for warnings (docs/going-live.md). */
const REQUIRED =
  'delivered,retry-after,missing-after-error,retry-unauthorised,unfinished-content,warnings'

/** The command line that shows that a client is done. */
export const REQUIRED_RUN = `exec --env API_URL=api --env API_TOKEN=token --demo --rate-limit unlimited --profile storm --require ${REQUIRED} -- COMMAND`

/** What a coding agent has to know to write a client of the API: what the sandbox is, three commands, where to read, and when it is done. */
export function toAgentsBlock({ docs, exec }: AgentsBlock): string {
  const run = (line: string): string => exec(`seo-sandbox ${line}`)
  const pages = DOCS_INDEX.map(({ path, about }) => `- ${path}: ${about}`)
  return `## The Search Content and Reporting Service: test against seo-sandbox

The package \`seo-sandbox\` is that API on this machine: every endpoint, rule and rate limit of its specification. Test clients against it, not against the
real API. Its rules are its own: read \`${docs}/api.md\`, and \`${docs}/going-live.md\` on what a client has to do, before you write or mend one.

- \`${run('exec --env API_URL=api --env API_TOKEN=token -- COMMAND')}\` runs a command with a sandbox of its own. The names on the left are the variables that the command
  reads. \`--demo\`, \`--scenario\`, \`--fixtures\` and \`--policy\` choose its world, and \`--review\` says what the client does wrong.
- \`${run('traffic FILE')}\` shows each request and what decided its response, in the session that a failed review saves, or without FILE of a running server.
- \`${run('why PROJECT FILE')}\` says which report of a project is the latest, why, until when, and what comes next.

A client is done when its review shows what is required of it. Finish with this, for its own command, and mend what it reports until it exits with 0. Leave out what it has no use for, such as
\`delivered\` for one that reads no reports:

\`\`\`sh
${run(REQUIRED_RUN)}
\`\`\`

It runs the command three times: refused with a 401, then with faults, then a day later. It shows no second page, no limit of a token, and no report that is finished late or regenerated. Those take, in place of \`--demo\`,
\`--projects 400\` with \`--require next-link\`, \`--rate-limit 20/min\` with \`--require token-told-to-wait\`, and for a client that runs daily \`${run('rehearse --profile smoke --client-state FOLDER -- COMMAND')}\`;
what the specification leaves open takes \`--policy\`. The review sees requests alone: compare what the client wrote with \`/_sandbox/records/reports\`. A test suite
whose client uses SEO_SANDBOX_URL finishes with \`${run('exec --review --require warnings -- npm test')}\`; tests with a sandbox of their own, by \`createSandbox\` or \`startServer\`, assert \`sandbox.review().verdict\`.

Errors name the page that explains them. The pages, in \`${docs}\`:

${pages.join('\n')}`
}
