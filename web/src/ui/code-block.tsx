import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** Of the button that copies it. */
  readonly label?: string;
}

/** A command or an example. Long lines are wrapped, so nothing of them is hidden. */
export function CodeBlock({ text, label }: CodeBlockProps) {
  return (
    <div class="code-block">
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} {...(label !== undefined && { label })} />
    </div>
  );
}
