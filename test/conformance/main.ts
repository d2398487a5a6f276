import { runConformance } from './runconformance.ts'

process.exitCode = await runConformance(
  process.argv.slice(2),
  (line) => process.stdout.write(`${line}\n`),
  (line) => process.stderr.write(`${line}\n`),
)
