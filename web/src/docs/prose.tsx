/** A text of the OpenAPI document, which is in English. Text between backticks is code. */
export function Prose({ children }: { readonly children: string | undefined }) {
  if (!children) return null;
  return (
    <p lang="en" class="prose">
      {children.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </p>
  );
}
