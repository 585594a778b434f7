/**
 * The start of each peer: fast and silent, following its documentation where possible. `emulate` is pinned to one version,
 * because a later one of that name is another package.
 *
 *   package      its package
 *   since        the first Node that it supports
 *   file, args   the program, below the installed packages or here, and its arguments
 *   files        the files that it reads, by name, created from the responses that it has to give
 *   toTarget     its request target, if it differs from the sandbox's
 */

/** Responses are `{ target, path, value }`: the sandbox's target, that without its query, and the JSON. */
export const PEERS = [
  {
    name: 'json-server',
    package: 'json-server',
    since: '22.12',
    file: 'node_modules/json-server/lib/bin.js',
    args: ['db.json'],
    // In production mode the peer watches no files, but needs the folder `public`.
    files: (answers) => ({
      'db.json': Object.fromEntries(answers.map(({ path, value }) => [toResource(path), value])),
      'public/empty.json': {},
    }),
    toTarget: ({ path }) => `/${toResource(path)}`,
  },
  {
    name: 'Prism',
    package: '@stoplight/prism-cli',
    since: '24.18',
    file: 'node_modules/@stoplight/prism-cli/dist/index.js',
    args: [
      'mock',
      'openapi.json',
      '--multiprocess',
      'false',
      '--verboseLevel',
      'silent',
      '--cors',
      'false',
    ],
    files: (answers) => ({ 'openapi.json': toOpenApi(answers) }),
  },
  {
    name: 'Mockoon',
    package: '@mockoon/cli',
    since: '18.0',
    file: 'node_modules/@mockoon/cli/bin/run.js',
    args: [
      'start',
      '--data',
      'environment.json',
      '--disable-log-to-file',
      '--disable-admin-api',
      '--max-transaction-logs',
      '1',
    ],
    files: (answers) => ({ 'environment.json': toEnvironment(answers) }),
  },
  {
    name: 'emulate',
    package: 'emulate',
    since: '20.0',
    file: 'emulate.js',
    args: ['answers.json'],
    files: (answers) => ({
      'answers.json': Object.fromEntries(answers.map(({ path, value }) => [path, value])),
    }),
  },
]

/** Resources of json-server have a single name; an object is served unchanged. */
function toResource(path) {
  return path.split('/').slice(3).join('-')
}

/** No schemas: with them Prism validates every response. */
function toOpenApi(answers) {
  const toPath = ({ path, value }) => [
    path,
    {
      get: {
        responses: {
          200: { description: 'OK', content: { 'application/json': { example: value } } },
        },
      },
    },
  ]
  return {
    openapi: '3.1.0',
    info: { title: 'Answers', version: '1' },
    paths: Object.fromEntries(answers.map(toPath)),
  }
}

/** For Mockoon 9.9, which reports an incomplete file as one to repair. */
function toEnvironment(answers) {
  const routes = answers.map(toRoute)
  return {
    uuid: crypto.randomUUID(),
    lastMigration: 33,
    name: 'Answers',
    endpointPrefix: '',
    latency: 0,
    port: 3000,
    hostname: '127.0.0.1',
    folders: [],
    routes,
    rootChildren: routes.map(({ uuid }) => ({ type: 'route', uuid })),
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    tlsOptions: {
      enabled: false,
      type: 'CERT',
      pfxPath: '',
      certPath: '',
      keyPath: '',
      caPath: '',
      passphrase: '',
    },
    cors: false,
    headers: [],
    proxyReqHeaders: [],
    proxyResHeaders: [],
    data: [],
    callbacks: [],
  }
}

function toRoute({ path, value }) {
  return {
    uuid: crypto.randomUUID(),
    type: 'http',
    documentation: '',
    method: 'get',
    endpoint: path.slice(1),
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
    responses: [
      {
        uuid: crypto.randomUUID(),
        body: JSON.stringify(value),
        latency: 0,
        statusCode: 200,
        label: '',
        headers: [{ key: 'Content-Type', value: 'application/json' }],
        bodyType: 'INLINE',
        filePath: '',
        databucketID: '',
        sendFileAsBody: false,
        rules: [],
        rulesOperator: 'OR',
        disableTemplating: true,
        fallbackTo404: false,
        default: true,
        crudKey: 'id',
        callbacks: [],
      },
    ],
  }
}
