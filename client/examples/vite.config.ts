import { defineConfig } from 'vite';

// The browser sees one origin. Vite passes requests of the API on to the service.
export default defineConfig({
  server: { proxy: { '/api': { target: 'http://localhost:8080', changeOrigin: false } } },
});
