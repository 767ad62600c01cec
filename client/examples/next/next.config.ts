import type { NextConfig } from 'next';

// The browser sees one origin. Next passes requests of the API on to the service.
const config: NextConfig = {
  rewrites: async () => [{ source: '/api/:path*', destination: 'http://localhost:8080/api/:path*' }],
};
export default config;
