/** `node:http` that answers anything, on the port that it is told: the least that a server takes to start. */
import { createServer } from 'node:http'

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end('{}')
})
server.listen(Number(process.argv.at(-1)), '127.0.0.1')
