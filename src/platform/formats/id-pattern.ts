/** The format of ids that this service issues: UUIDs in lower case. */
export const ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids that people choose, such as those of tenants. */
export const SLUG_PATTERN = /^[a-z0-9-]{1,63}$/;
