import { useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { consoleTexts } from './texts.ts';

/** The key `?` shows which keys there are. */
export function KeysHelp() {
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => {
    const show = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, dialog');
      if (event.key === '?' && !isTyping && !event.ctrlKey && !event.metaKey) setShown(true);
    };
    document.addEventListener('keydown', show);
    return () => document.removeEventListener('keydown', show);
  }, []);
  if (!isShown) return null;
  const texts = consoleTexts();
  const keys = [
    ['/', texts.keySearch],
    ['?', texts.keyHelp],
    ['Tab', texts.keyNext],
    ['Enter', texts.keyOpen],
    ['Esc', texts.keyClose],
  ] as const;
  return (
    <Dialog title={texts.keys} onClose={() => setShown(false)}>
      <dl class="facts">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
