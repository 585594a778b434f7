import process from 'node:process'
import axios from 'axios'
import axiosRetry from 'axios-retry'

const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token } = process.env
const client = axios.create({
  baseURL: `${url}/api/v1`,
  headers: { Authorization: `Bearer ${token}` },
})
axiosRetry(client)

for (const project of process.argv.slice(2)) {
  await client.get(`/projects/${project}`).catch(() => undefined)
}
