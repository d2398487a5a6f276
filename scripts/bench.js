// Bundles the benchmarks and runs them: Node 20 strips no types. The servers of some are a process of their own.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { facesOf } from '../packages/lockstep/bin/faces.js'

const dir = mkdtempSync(join(process.cwd(), 'node_modules', '.bench-'))
try {
  await build({
    entryPoints: { main: 'bench/main.ts', servers: 'bench/servers.ts', peers: 'bench/peers/main.ts' },
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    alias: facesOf(process.cwd()),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
  })
  const program = process.argv[2] === 'peers' ? 'peers.mjs' : 'main.mjs'
  const args = ['--enable-source-maps', '--expose-gc', join(dir, program), ...process.argv.slice(2)]
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
