/** A text that users chose. Its direction does not affect the text around it. */
export function Name({ children }: { readonly children: string | undefined }) {
  return <bdi class="name">{children ?? '–'}</bdi>;
}

/** A text of a button or a link that ends with a name. It has at most two lines, because names can be long. */
export function TextWithName({ text, name }: { readonly text: string; readonly name: string | undefined }) {
  return (
    <span class="two-lines">
      {text} <Name>{name}</Name>
    </span>
  );
}
