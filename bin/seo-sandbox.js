#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) {
  const { main } = await import('../dist/command-line.js')
  await main()
} else {
  console.error(
    `seo-sandbox needs Node 20.19 or newer, and this is ${process.versions.node}. Install a newer one from https://nodejs.org.`,
  )
  process.exitCode = process.argv[2] === 'exec' ? 125 : 2
}
