// The programs of a real Kubernetes API, and the line that a run prints about them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager']

/** The reason that the real API cannot be tested here; undefined if the programs exist. */
export function missingPrograms() {
  const folders = [process.env.KUBEBUILDER_ASSETS, '/usr/local/kubebuilder/bin'].filter(
    (f) => f !== undefined,
  )
  const missing = folders.map((f) => PROGRAMS.filter((p) => !existsSync(join(f, p))))
  if (missing.some((programs) => programs.length === 0)) return undefined
  return `no ${missing[0].join(', ')} in ${folders.join(' or ')}`
}

/** The line of a run that does not test the real API; a failure if the programs are required and absent. */
export function realApiLine() {
  const why = missingPrograms()
  if (why === undefined) return { line: 'real API: skipped (npm run test:real tests it)', failures: [] }
  if (process.env.LOCKSTEP_REQUIRE_REAL !== '1') return { line: `real API: skipped (${why})`, failures: [] }
  return {
    line: `real API: not run (${why}), and LOCKSTEP_REQUIRE_REAL=1`,
    failures: [`real API: ${why}`],
  }
}
