import type { GetAuthorizationServerMetadataResponse } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';

export interface MetadataDependencies {
  readonly keys: Pick<SigningKeys, 'jsonWebKeySet'>;
  readonly issuer: string;
  /** The algorithms of ID tokens; none if the OpenID provider is off. */
  readonly idTokenAlgorithms: readonly string[];
}

/** SessionService.GetAuthorizationServerMetadata. */
export function createGetAuthorizationServerMetadata({ keys, issuer, idTokenAlgorithms }: MetadataDependencies) {
  return async (): Promise<GetAuthorizationServerMetadataResponse> => {
    const published = (await keys.jsonWebKeySet()).keys;
    return {
      issuer,
      signingAlgorithms: [...new Set(published.flatMap(({ alg }) => alg ?? []))],
      idTokenSigningAlgorithms: [...idTokenAlgorithms],
    };
  };
}
