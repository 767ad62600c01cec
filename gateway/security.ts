/** How a route's description says which credentials it takes: either will do. */
export const SECURITY = [{ bearer: [] }, { apiKey: [] }];

/** The same for a route whose RPC refuses API keys. */
export const BEARER_ONLY = [{ bearer: [] }];
