/** A token or a key, of which only the beginning is seen: who selects it has the whole of it. */
export function Secret({ text }: { text: string }) {
  return (
    <code class="secret">
      <bdi>{text}</bdi>
    </code>
  )
}
