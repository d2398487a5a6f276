// Bundles a benchmark and runs it: Node 20 strips no types.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const dir = mkdtempSync(join(process.cwd(), 'node_modules', '.bench-'))
const outfile = join(dir, 'bench.mjs')
try {
  await build({
    entryPoints: ['bench/delivery.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
  })
  process.exitCode =
    spawnSync(process.execPath, ['--enable-source-maps', outfile, ...process.argv.slice(2)], {
      stdio: 'inherit',
    }).status ?? 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
