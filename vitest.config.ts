import { defineConfig } from 'vitest/config'
import { configOf, tierOf } from './test/config.ts'

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig(await configOf(tierOf(process.argv)))
