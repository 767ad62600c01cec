/** How a route's description says which credentials it takes: either will do. */
export const SECURITY = [{ bearer: [] }, { apiKey: [] }];
