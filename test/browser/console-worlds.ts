import type { Fixtures } from 'seo-sandbox'

/** What a partner's data may be at its worst: markup, handlers, links that run, marks of direction, and long texts. */
export const HOSTILE =
  '<script>alert(1)</script><img src=x onerror=alert(2)> javascript:alert(3) \u202Ecod.exe\u202C '

/** Fixtures with such texts in every name, and 200 kB of them. */
export function hostileFixtures(): Fixtures {
  const text = HOSTILE + 'x'.repeat(200_000)
  return {
    version: 1,
    agencies: [{ id: 1, name: text }],
    tokens: [
      { id: 1, name: text, token: 'sandbox-agency', agency: 1 },
      { id: 2, name: HOSTILE, token: 'y'.repeat(4096), agency: 1, rate_limit: 'unlimited' },
    ],
    countries: [{ id: 45, label: HOSTILE }],
    languages: [{ id: 1, label: HOSTILE }],
    projects: [
      {
        id: 101,
        agency: 1,
        name: text,
        status: HOSTILE,
        created_at: '2025-01-01T00:00:00Z',
        domain: text,
        country: 45,
        text_language: 1,
        report_language: 1,
        keywords: [{ id: 1001, keyword: text, create_date: '2025-01-01' }],
        reports: [
          {
            id: 5001,
            report_number: 1,
            status: 'pending',
            created_at: '2026-01-01T00:00:00Z',
            report_name: text,
            date_to_create_texts: '2026-04-01',
          },
          {
            id: 5000,
            report_number: 2,
            status: 'completed',
            created_at: '2025-12-01T00:00:00Z',
            report_name: HOSTILE,
            date_to_create_texts: '2026-03-01',
          },
        ],
      },
    ],
  }
}
