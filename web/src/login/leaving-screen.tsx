import type { Application } from '../authorization/request.ts';
import { authorizationTexts } from '../authorization/texts.ts';
import { CardPage, LoadingPage } from '../ui/frame.tsx';
import { TextWithName } from '../ui/name.tsx';

interface LeavingScreenProps {
  readonly application: Application;
  /** Where the service leads the browser. */
  readonly url: string;
}

/** The browser leaves the page. A URL of another program leaves it open, and some browsers ask before they follow it. */
export function LeavingScreen({ application, url }: LeavingScreenProps) {
  const texts = authorizationTexts();
  if (/^https?:/i.test(url)) return <LoadingPage title={texts.leavingTitle} />;
  return (
    <CardPage title={texts.leavingTitle}>
      <p>{texts.leavingText}</p>
      <p class="actions">
        <a class="button primary" href={url}>
          <TextWithName text={texts.continueTo} name={application.name} />
        </a>
      </p>
    </CardPage>
  );
}
