import { loginTexts } from './texts.ts';

interface FactorOptionsProps {
  readonly methods: readonly ('totp' | 'passkey')[];
  readonly onChoose: (method: 'totp' | 'passkey') => void;
}

/** The second factors that can be set up. */
export function FactorOptions({ methods, onChoose }: FactorOptionsProps) {
  const texts = loginTexts();
  const names = { totp: [texts.totp, texts.totpNote], passkey: [texts.passkey, texts.passkeyNote] } as const;
  return (
    <ul class="options">
      {methods.map((method) => {
        const [name, note] = names[method];
        return (
          <li key={method}>
            <button onClick={() => onChoose(method)}>
              <b>{name}</b>
              <span>{note}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
