import { defineConfig } from 'vitest/config'
import { nativeSources } from './test/native.ts'

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  plugins: await nativeSources(),
  test: {
    include: ['test/real/**/*.test.ts'],
    globalSetup: ['test/real/setup.ts'],
    pool: 'forks',
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
