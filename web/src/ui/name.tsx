import { Fragment } from 'preact';

/** A text that users chose. Its direction does not affect the text around it. */
export function Name({ children }: { readonly children: string | undefined }) {
  return (
    <bdi class="name">
      <Breakable>{children ?? '–'}</Breakable>
    </bdi>
  );
}

/** A name that breaks after its signs rather than inside a word, where it is too long for a line. */
export function Breakable({ children }: { readonly children: string }) {
  const [first, ...parts] = children.split(/(?<=[@._])(?=.)/u);
  return (
    <>
      {first}
      {parts.map((part, index) => (
        <Fragment key={index}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** A text of a button or a link that ends with a name. It has at most two lines, because names can be long. */
export function TextWithName({ text, name }: { readonly text: string; readonly name: string | undefined }) {
  return (
    <span class="two-lines">
      {text} <Name>{name}</Name>
    </span>
  );
}
