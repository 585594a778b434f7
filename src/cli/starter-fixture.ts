/** The fixture that `seo-sandbox init` writes; `schema` is the relative path of the format's JSON Schema. */
export function createStarterFixture({ schema }: { schema: string }): string {
  return `# yaml-language-server: $schema=${schema}
#
# A small agency to start from: two projects with keywords and reports. Adapt it to your tests.
# Field names are those of the API, and references are ids. Editors that support the line above complete and explain them.

version: 1

# A date is absolute (2026-03-15, 2026-03-15T12:00:00Z) or relative to the world clock, so that a test passes on any day:
#   now, now-3d, now+2h    this moment, three days ago, in two hours
#   month+0/05             the fifth of this month
#   month-1/31             the last day of the month before, however long that is
# Uncomment the next line to start the clock there instead of today.
# now: 2026-03-15T12:00:00Z

agencies:
  - { id: 1, name: Fjordlys Media, report_cc_email: reports@fjordlys.example }

countries:
  - { id: 45, label: Denmark }

languages:
  - { id: 1, label: Danish }

users:
  - { id: 7, name: Maja Holm, role: Account manager, agency: 1 }

# What a client sends as "Authorization: Bearer …". A token without an agency is a super-admin token and sees all agencies.
tokens:
  - { id: 1, name: Test suite, token: test-agency, agency: 1, rate_limit: unlimited }
  - { id: 2, name: Rate limits, token: test-limited, agency: 1, rate_limit: { per_minute: 3, per_hour: 10 } }
  - { id: 3, name: Operator, token: test-operator, rate_limit: unlimited }

projects:
  # Its second report was completed this month, so /projects/101/reports/latest returns it.
  - id: 101
    agency: 1
    name: Havnens Fiskehus
    status: active
    created_at: month-2/01
    company_name: Havnens Fiskehus ApS
    domain: https://www.havnens-fiskehus.example
    country: 45
    text_language: 1
    report_language: 1
    managing_user: 7
    client_emails: [kontakt@havnens-fiskehus.example]
    keywords:
      - { id: 1001, keyword: frisk fisk aarhus, create_date: month-2/02, latest_position: 4, status_200: true }
      - { id: 1002, keyword: fiskebutik på havnen, create_date: month-2/02 }
    reports:
      - { id: 5001, report_number: 1, status: completed, created_at: month-1/01, date_to_create_texts: month-1/05, sent: true }
      - id: 5002
        report_number: 2
        status: completed
        created_at: month+0/01
        date_to_create_texts: month+0/05
        # The texts of the report by keyword id.
        content:
          1001:
            - { h3: Frisk fisk hver dag, text: Vi henter fangsten på kajen klokken fem hver morgen. }
      - { id: 5003, report_number: 3, status: pending, created_at: month+0/01, date_to_create_texts: month+1/05 }

  # Its only report is running. A test can complete it: sandbox.reports.complete(…).
  - id: 102
    agency: 1
    name: Cykelsmeden
    status: active
    created_at: month-1/10
    country: 45
    keywords:
      - { id: 1003, keyword: cykelværksted, create_date: month-1/11 }
    reports:
      - { id: 5004, report_number: 1, status: running, created_at: month+0/01, date_to_create_texts: month+0/10 }

# docs/fixtures.md of seo-sandbox and the schema named above describe every field.
# seo-sandbox validate checks this file; seo-sandbox --fixtures serves it, alone or with other files.
`
}
