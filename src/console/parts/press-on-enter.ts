/** For a form: Enter in a text field presses the primary button of its card. */
export function pressOnEnter(event: KeyboardEvent): void {
  const { key, target } = event
  if (key !== 'Enter' || !(target instanceof HTMLInputElement)) return
  event.preventDefault()
  target.closest('.card')?.querySelector<HTMLElement>('.primary')?.click()
}
