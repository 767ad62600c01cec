// Logins with a passkey alone: by a button, and in the list that the browser shows at the username.
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { getPasskey } from '../../../client/src/factors.ts';
import { createPasskeyLoginOptions } from '../../../client/src/operations.ts';
import type { PasskeyCredentials } from '../../../client/src/index.ts';
import { codeOf, PageError } from '../errors.ts';
import { useService } from '../ui/frame.tsx';
import { loginTexts } from './texts.ts';

/** Challenges are valid for five minutes. */
const RENEWAL_MS = 4 * 60_000;

type LogIn = (credentials: PasskeyCredentials) => Promise<void>;

/**
 * Offers passkeys at the username, and returns a function that asks for one in a dialog of the browser.
 *
 * @param logIn Opens the session.
 */
export function usePasskeyLogin(isOffered: boolean, logIn: LogIn): () => Promise<void> {
  const { session } = useService();
  // The browser answers one request at a time.
  const waiting = useRef<AbortController>(undefined);
  const latest = useRef(logIn);
  latest.current = logIn;

  const ask = useCallback(
    async (mediation: 'optional' | 'conditional', signal: AbortSignal): Promise<void> => {
      const { challenge, options } = (await createPasskeyLoginOptions(session.anonymous, {}, { signal })).data;
      const passkey = await getPasskey(options, { mediation, signal });
      await latest.current({ challenge, passkey }).catch(explain);
    },
    [session],
  );

  const offer = useCallback((): void => {
    waiting.current?.abort();
    const controller = new AbortController();
    waiting.current = controller;
    // Nobody has asked for it, so its failure is not shown: the button remains.
    void ask('conditional', controller.signal).catch(() => undefined);
  }, [ask]);

  useEffect(() => {
    let timer: number | undefined;
    if (isOffered)
      void isConditional().then((isPossible) => {
        if (!isPossible || timer === -1) return;
        offer();
        timer = window.setInterval(offer, RENEWAL_MS);
      });
    return () => {
      clearInterval(timer);
      timer = -1;
      waiting.current?.abort();
    };
  }, [isOffered, offer]);

  return async () => {
    waiting.current?.abort();
    try {
      await ask('optional', new AbortController().signal);
    } catch (error) {
      if (await isConditional()) offer();
      throw error;
    }
  };
}

async function isConditional(): Promise<boolean> {
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

/** The service says of a passkey that it is invalid, as of a code. */
function explain(error: unknown): never {
  const isUnknown = codeOf(error) === 'second-factor-invalid' || codeOf(error) === 'bad-credentials';
  throw isUnknown ? new PageError(loginTexts().passkeyUnknown) : error;
}
