import { useQuery } from '../query.ts';
import { factorTexts } from '../texts/factors.ts';
import { CopyButton } from './copy-button.tsx';

interface TotpSecretProps {
  /** In base32. */
  readonly secret: string;
  /** An otpauth URI. */
  readonly uri: string;
}

/** The secret of a TOTP for an authenticator app: as a QR code, as a link for an app on this device, and as text. */
export function TotpSecret({ secret, uri }: TotpSecretProps) {
  // Most logins need no QR code, so its script is loaded here.
  const { data: module } = useQuery(() => import('./qr-code.tsx'), []);
  const texts = factorTexts();
  return (
    <div class="totp-secret">
      <p>{texts.scan}</p>
      <div class="qr-code">{module && <module.QrCode text={uri} label={texts.qrCode} />}</div>
      <p class="hint">
        <a href={uri}>{texts.openApp}</a>
      </p>
      <p class="hint">{texts.orType}</p>
      <p class="secret">
        <code>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={secret} />
      </p>
      <p>{texts.enterCode}</p>
    </div>
  );
}
