/** OpenAPI security of a route that accepts a bearer token or an API key. */
export const SECURITY = [{ bearer: [] }, { apiKey: [] }];

/** OpenAPI security of a route whose RPC rejects API keys. */
export const BEARER_ONLY = [{ bearer: [] }];
