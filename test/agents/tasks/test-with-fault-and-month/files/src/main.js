/** `node src/main.js OUT`: reads API_URL, which ends in /api/v1, and API_TOKEN, and exits with 1 if something is missing. */
import { sync } from './sync.js'

const { API_URL: url, API_TOKEN: token } = process.env
try {
  const { complete, problems } = await sync({ url, token, folder: process.argv[2] ?? 'out' })
  for (const problem of problems) console.error(problem)
  process.exitCode = complete ? 0 : 1
} catch (error) {
  console.error(`The sync has ended early: ${error.message}`)
  process.exitCode = 1
}
