// The buttons that copy a command. Browsers have no clipboard without HTTPS or localhost: then they stay hidden.
const CONFIRMED_MS = 2_000;

for (const button of document.querySelectorAll<HTMLButtonElement>('.code-block button')) {
  const label = button.textContent;
  const clipboard = (navigator as { readonly clipboard?: Clipboard }).clipboard;
  button.hidden = clipboard === undefined;
  button.addEventListener('click', () => {
    void clipboard?.writeText(button.parentElement!.querySelector('pre')!.textContent).then(() => {
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = label), CONFIRMED_MS);
    });
  });
}
