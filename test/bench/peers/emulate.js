/**
 * An emulator defined as in emulate's README. `node emulate.js FILE` serves the responses of the file, each
 * under its path.
 */
import { readFile } from 'node:fs/promises'
import { createEmulator, defineEmulator } from 'emulate'

const answers = JSON.parse(await readFile(process.argv[2], 'utf8'))

await createEmulator({
  service: defineEmulator({
    name: 'answers',
    cors: false,
    state: () => answers,
    setup: ({ app, state }) => {
      for (const path of Object.keys(state)) app.get(path, (context) => context.json(state[path]))
    },
  }),
  port: 0,
})
