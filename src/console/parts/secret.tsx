/** A token or a key. Only its beginning is visible, but selecting it selects all of it. */
export function Secret({ text }: { text: string }) {
  return (
    <code class="secret">
      <bdi>{text}</bdi>
    </code>
  )
}
