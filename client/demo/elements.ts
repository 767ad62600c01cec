/** The element with an id of index.html, which is of this type. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as querySelector has it
export function element<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const found = document.getElementById(id);
  if (!found) throw new Error(`No element ${id}`);
  return found as Type;
}

/** A new element with text. */
export function create<Name extends keyof HTMLElementTagNameMap>(name: Name, text = '', className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Runs on each click; the button cannot be pressed again until it is done. */
export function onClick(id: string, run: () => Promise<unknown>): void {
  const button = element<HTMLButtonElement>(id);
  button.addEventListener('click', () => {
    button.disabled = true;
    void run().finally(() => (button.disabled = false));
  });
}
