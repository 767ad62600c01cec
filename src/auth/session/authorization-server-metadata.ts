import type { GetAuthorizationServerMetadataResponse } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';

export interface MetadataDependencies {
  readonly keys: Pick<SigningKeys, 'jsonWebKeySet'>;
  readonly issuer: string;
  readonly audience: string;
  readonly publicUrl: string | undefined;
  /** The algorithms of ID tokens; none if the OpenID provider is off. */
  readonly idTokenAlgorithms: readonly string[];
}

/** SessionService.GetAuthorizationServerMetadata. */
export function createGetAuthorizationServerMetadata(options: MetadataDependencies) {
  const { keys, issuer, audience, publicUrl, idTokenAlgorithms } = options;
  return async (): Promise<GetAuthorizationServerMetadataResponse> => {
    const published = (await keys.jsonWebKeySet()).keys;
    return {
      issuer,
      signingAlgorithms: [...new Set(published.flatMap(({ alg }) => alg ?? []))],
      idTokenSigningAlgorithms: [...idTokenAlgorithms],
      audience,
      ...(publicUrl !== undefined && { publicUrl }),
    };
  };
}
