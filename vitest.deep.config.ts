import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    // Crashes at some writes are in the short run, at every one here.
    include: ['test/deep/**/*.test.ts', 'test/fleet/{hook,mode}crash.test.ts'],
    env: { LOCKSTEP_EVERY_WRITE: '1' },
    pool: 'forks',
    testTimeout: 60 * 60_000,
    hookTimeout: 120_000,
  },
})
