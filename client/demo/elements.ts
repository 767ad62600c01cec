/** Returns the element of index.html with this id and type. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- like querySelector
export function element<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const found = document.getElementById(id);
  if (!found) throw new Error(`No element ${id}`);
  return found as Type;
}

/** Creates an element with text. */
export function create<Name extends keyof HTMLElementTagNameMap>(name: Name, text = '', className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Runs on each click. The button is disabled until it has finished. */
export function onClick(id: string, run: () => Promise<unknown>): void {
  const button = element<HTMLButtonElement>(id);
  button.addEventListener('click', () => {
    button.disabled = true;
    void run().finally(() => (button.disabled = false));
  });
}
