import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    // Crashes at some writes, some orders of writes and some random inputs are in the short run, all here.
    include: [
      'test/deep/**/*.test.ts',
      'test/fleet/{budgetraces,hookcrash,manyrecords,modecrash,oneslot,rolloutcrash}.test.ts',
      'src/**/*property.test.ts',
    ],
    env: { LOCKSTEP_EVERY_WRITE: '1', LOCKSTEP_RUNS: '10000' },
    pool: 'forks',
    testTimeout: 60 * 60_000,
    hookTimeout: 120_000,
  },
})
