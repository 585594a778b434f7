import { defineCheck } from '../check.ts'

export const tokenInBrowser = defineCheck({
  id: 'token-in-browser',
  category: 'security',
  severity: 'error',
  section: '5(1)',
  finds: 'sent a token with an `Origin` header, from a page that everybody who opens it can read',
  instead:
    'Send requests from a server of your own, and let pages ask that server, so that no browser has the token.',
  exercise: 'Let the client send a request with its token.',
  sees: 'all',
  read: ({ sender: { authorization, pageOrigin }, sequence }, report) => {
    if (authorization === undefined) return
    report.meet()
    if (pageOrigin === undefined) return
    report.fail(() => `Request ${sequence} sends a token from a page, with an Origin header.`)
  },
})
