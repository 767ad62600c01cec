// Who asks for a login: above the title of each card of the request.
import type { Application } from './request.ts';
import { authorizationTexts } from './texts.ts';

export function Requester({ application: { name, logo, tenantName } }: { readonly application: Application }) {
  const texts = authorizationTexts();
  return (
    <div class="requester">
      {logo === undefined ? (
        <span class="initial" aria-hidden="true">
          {[...name.trim()][0]?.toUpperCase()}
        </span>
      ) : (
        <img src={`data:image/png;base64,${logo}`} alt="" />
      )}
      <p>
        <span>{texts.continueTo}</span>
        <bdi class="name">{name}</bdi>
        {tenantName !== undefined && <bdi>{tenantName}</bdi>}
      </p>
    </div>
  );
}
