/** The world of the HTTP suites: bodies of 3 KB for a project, 60 KB for a list of 100. */

const SENTENCE = 'A garden centre with a shop, a café, courses for beginners and delivery in town. '

const projects = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  agency: 1,
  name: `Garden ${index + 1}: ${SENTENCE.repeat(3)}`,
  status: 'active',
  created_at: '2026-01-15T09:00:00Z',
  company_name: SENTENCE,
  client_emails: Array.from(
    { length: 50 },
    (_unused, of) => `office-${of}@garden-${index}.example`,
  ),
}))

/** Options for a sandbox; the generated project has a report of 50 keywords. */
export const WORLD = {
  fixtures: {
    version: 1,
    agencies: [{ id: 1, name: 'Agency' }],
    projects,
    tokens: [
      { id: 1, name: 'bench', token: 'bench', rate_limit: 'unlimited' },
      { id: 2, name: 'limited', token: 'limited', rate_limit: { per_hour: 1 } },
    ],
  },
  generate: { projects: 1, keywords: 50, reports: 3 },
}

/** The requests, each with its body cached, with all checks and the journal. */
export const REQUESTS = [
  { name: 'me', target: '/api/v1/me', token: 'bench' },
  { name: 'a project', target: '/api/v1/projects/1', token: 'bench' },
  { name: 'a list of 100', target: '/api/v1/projects?per_page=100', token: 'bench' },
  {
    name: 'content of 50 keywords',
    target: '/api/v1/projects/1001/reports/1/content',
    token: 'bench',
  },
  { name: 'a 429', target: '/api/v1/projects/1', token: 'limited', isError: true },
]
