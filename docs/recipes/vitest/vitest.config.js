import { defineConfig } from 'vitest/config'

const dom = ['dom.test.js']

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'node', exclude: [...dom, 'node_modules/**'] } },
      { test: { name: 'jsdom', include: dom, environment: 'jsdom' } },
      { test: { name: 'happy-dom', include: dom, environment: 'happy-dom' } },
    ],
  },
})
