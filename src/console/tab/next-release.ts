/** How long a page waits for the next release. Where it comes later than that, the page is loaded again all the same. */
const PATIENCE_MS = 2000

/**
 * Loads the page again where the next release of the site waits and no other tab has this one open. Only a page can tell: the
 * service worker knows which pages are open, but not which of them a page that is being loaded replaces.
 */
export async function takeNextRelease(): Promise<void> {
  const { serviceWorker } = navigator
  const current = serviceWorker?.controller
  if (!current || !(await serviceWorker.getRegistration())?.waiting) return
  serviceWorker.addEventListener('controllerchange', () => location.reload())
  const { port1: port, port2: other } = new MessageChannel()
  await new Promise<void>((resolve) => {
    setTimeout(resolve, PATIENCE_MS)
    port.addEventListener('message', ({ data }: MessageEvent<boolean>) => {
      if (!data) resolve()
    })
    port.start()
    current.postMessage(null, [other])
  })
}
