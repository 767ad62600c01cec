/** A text that users chose. Its direction does not affect the text around it. */
export function Name({ children }: { readonly children: string | undefined }) {
  return <bdi class="name">{children ?? '–'}</bdi>;
}
