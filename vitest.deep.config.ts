import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    // Crashes at some writes, and some orders of writes, are in the short run, all here.
    include: ['test/deep/**/*.test.ts', 'test/fleet/{hookcrash,modecrash,manyrecords,oneslot,rolloutcrash}.test.ts'],
    env: { LOCKSTEP_EVERY_WRITE: '1' },
    pool: 'forks',
    testTimeout: 60 * 60_000,
    hookTimeout: 120_000,
  },
})
