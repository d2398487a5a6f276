import { defineConfig } from 'vitest/config'
import { nativeSources } from './test/native.ts'
import { LongestFirst } from './test/sequence.ts'

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  plugins: await nativeSources(),
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/real/**', 'test/deep/**', 'node_modules/**'],
    pool: 'forks',
    // No test changes what another one sees: modules are loaded once a worker.
    isolate: false,
    maxWorkers: '100%',
    // Cases beside each other on one fleet mostly wait: with five of them half of the time nothing was done.
    maxConcurrency: 12,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
})
