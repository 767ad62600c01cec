/** The header of every response by which browsers believe its content type (Fetch standard section 3.6). */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' } as const;
