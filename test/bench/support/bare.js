/** A minimal `node:http` server on the given port: the lower bound of a server's start. */
import { createServer } from 'node:http'

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end('{}')
})
server.listen(Number(process.argv.at(-1)), '127.0.0.1')
