/** Header of every response. Browsers then use the declared content type and do not guess (Fetch standard section 3.6). */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' } as const;
