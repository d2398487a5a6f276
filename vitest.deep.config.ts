import { defineConfig } from 'vitest/config'
import { nativeSources } from './test/native.ts'

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  plugins: await nativeSources(),
  test: {
    // Crashes at some writes, some orders of writes, some random inputs and some processes are in the short run, all here.
    include: [
      'test/deep/**/*.test.ts',
      'test/fleet/{budgetraces,deletionwaits,hookcrash,manyrecords,modecrash,oneslot,rolloutcrash,setbindings,setoutage,setrest,takeoverraces}.test.ts',
      'test/integration/platform.test.ts',
      'test/simulation/random.test.ts',
      'test/e2e/{cli,examples,firstrun,resourcesets}.test.ts',
      'src/**/*property.test.ts',
    ],
    env: { LOCKSTEP_EVERY_WRITE: '1', LOCKSTEP_RUNS: '10000' },
    pool: 'forks',
    testTimeout: 60 * 60_000,
    hookTimeout: 120_000,
  },
})
