import type { NextConfig } from 'next';

export default {
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
} satisfies NextConfig;
