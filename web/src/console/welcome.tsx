// The first screen of an invited administrator: the next steps.
import { Link } from 'wouter-preact';
import { pagePath } from '../service.ts';
import { ConsoleFrame } from './console-frame.tsx';
import { useConsole } from './context.ts';
import type { ScreenPath } from './permissions.ts';
import { consoleTexts } from './texts.ts';

/** In the order in which a new tenant needs them. */
const STEPS = [
  '/policy',
  '/roles',
  '/users',
  '/applications',
  '/service-accounts',
  '/webhooks',
  '/audit',
] as const satisfies readonly ScreenPath[];

export function Welcome() {
  const { linkTo, screens } = useConsole();
  const texts = consoleTexts();
  return (
    <ConsoleFrame title={texts.welcome}>
      <p>{texts.welcomeText}</p>
      <ol class="steps">
        <li>
          <p>{texts.stepFactor}</p>
          <a href={pagePath('/account')}>{texts.toAccount}</a>
        </li>
        {STEPS.map((path) => {
          const screen = screens.find((one) => one.path === path);
          return (
            screen && (
              <li key={path}>
                <p>{texts[`step:${path}`]}</p>
                <Link href={linkTo(path)}>{texts.goTo(screen.title())}</Link>
              </li>
            )
          );
        })}
      </ol>
    </ConsoleFrame>
  );
}
